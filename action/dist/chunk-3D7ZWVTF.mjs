import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/platform/npm-config.ts
function parseNpmConfigList(output) {
  const settings = {};
  for (const line of output.split("\n")) {
    const [, key, text] = /^([^\s;]\S*) = (.+)$/.exec(line.trim()) ?? [];
    if (key === void 0 || text === void 0) continue;
    const value = parseJson(text);
    if (value !== void 0) settings[key] = value;
  }
  return settings;
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

export {
  parseNpmConfigList
};
