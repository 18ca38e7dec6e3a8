import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  buildProgram,
  runCommandLine
} from "./chunk-2FAZHABH.mjs";
import "./chunk-GNMEBZAE.mjs";
import "./chunk-V4KNN7PP.mjs";
import "./chunk-6DJXB2CB.mjs";
import "./chunk-K52NOVPC.mjs";
import "./chunk-XE67O6ST.mjs";
import "./chunk-N4SXSSZS.mjs";
import "./chunk-GHVNNVKP.mjs";
import "./chunk-PGOLEHAL.mjs";
import "./chunk-MLHV7B73.mjs";
import "./chunk-ZKOMBEYM.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-XULKPRVQ.mjs";
import "./chunk-56VRM4MJ.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";
export {
  buildProgram,
  runCommandLine
};
