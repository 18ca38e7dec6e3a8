import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  digestFile
} from "./chunk-5K4SUYOR.mjs";
import "./chunk-ZKOMBEYM.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/sandbox/snapshot/digest-worker.ts
import { parentPort, workerData } from "node:worker_threads";
var { digestPaths } = external_exports.object({ digestPaths: external_exports.array(external_exports.string()) }).parse(workerData);
parentPort?.postMessage(digestPaths.map(digestFile));
