/**
 * The settings in the output of `npm config list`, which npm writes for people, without those that another file overrides. It is asked
 * beside `--json`: newer versions leave out there what has a password in its URL, and mask only the password here:
 * `registry = "https://ci:***@npm.example.com/"`.
 */
export function parseNpmConfigList(output: string): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const line of output.split('\n')) {
    const [, key, text] = /^([^\s;]\S*) = (.+)$/.exec(line.trim()) ?? [];
    if (key === undefined || text === undefined) continue;
    const value = parseJson(text);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
