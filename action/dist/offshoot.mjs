import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  runCommandLine
} from "./chunk-DGTL6B4B.mjs";
import "./chunk-GNMEBZAE.mjs";
import "./chunk-6QMW4PQJ.mjs";
import "./chunk-6DJXB2CB.mjs";
import "./chunk-PU3NRF3X.mjs";
import "./chunk-C35LHQTZ.mjs";
import "./chunk-X3KQLE4H.mjs";
import "./chunk-RAZZY6BZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-UB7ZLGHO.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-ZKOMBEYM.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-GE4VXVUU.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/cli/main.ts
await runCommandLine(process.argv);
