import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  planBuild,
  readAgentBinary,
  readHostConfig,
  recipeDigestOf,
  systemRunner
} from "./chunk-5HVJWQ7V.mjs";
import {
  version
} from "./chunk-F7REKZZJ.mjs";
import "./chunk-WXIR43AS.mjs";
import "./chunk-LIAEBXQE.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/guest/image/print-recipe-digest.ts
var request = { include: [], extraCaCertificates: [], hostCaBundle: true, hostPackageConfig: true, rebuild: false };
var recipe = process.argv[2] ?? "default";
var plan = await planBuild({ name: recipe, recipe, ...request }, await readHostConfig(systemRunner, true));
var recipeDigest = recipeDigestOf(plan, (await readAgentBinary()).digest);
process.stdout.write(`${JSON.stringify({ version, recipeDigest })}
`);
