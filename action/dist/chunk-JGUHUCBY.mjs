import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";

// hostd/setup/packages.ts
import { access, readFile } from "node:fs/promises";
async function readHostPackages(file = installation.packageList) {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [name, probe, ...purpose] = line.split(/\s+/);
    if (name === void 0 || probe === void 0) throw new Error(`${file}: a line without package or probe: ${line}`);
    return { name, probe, purpose: purpose.join(" ") };
  });
}
async function missingPackages(packages) {
  const present = await Promise.all(
    packages.map(
      ({ probe }) => access(probe).then(
        () => true,
        () => false
      )
    )
  );
  return packages.filter((_, index) => present[index] !== true);
}
function installCommand(missing) {
  if (missing.length === 0) return void 0;
  return `apt-get install --no-install-recommends ${missing.map(({ name }) => name).join(" ")}`;
}

export {
  readHostPackages,
  missingPackages,
  installCommand
};
