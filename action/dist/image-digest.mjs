import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  planBuild,
  readAgentBinary,
  readHostConfig,
  recipeDigestOf
} from "./chunk-FRYVKTQY.mjs";
import {
  version
} from "./chunk-GNMEBZAE.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-ZKOMBEYM.mjs";
import {
  systemRunner
} from "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/guest/image/print-recipe-digest.ts
var request = { include: [], extraCaCertificates: [], hostCaBundle: true, hostPackageConfig: true, rebuild: false };
var recipe = process.argv[2] ?? "default";
try {
  const plan = await planBuild({ name: recipe, recipe, ...request }, await readHostConfig(systemRunner, true));
  const recipeDigest = recipeDigestOf(plan, (await readAgentBinary()).digest);
  process.stdout.write(`${JSON.stringify({ version, recipeDigest })}
`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}
`);
  process.exitCode = 1;
}
