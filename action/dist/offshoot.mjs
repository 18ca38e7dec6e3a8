import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  runCommandLine
} from "./chunk-UW4IJBOL.mjs";
import "./chunk-GNMEBZAE.mjs";
import "./chunk-6QMW4PQJ.mjs";
import "./chunk-6DJXB2CB.mjs";
import "./chunk-5ILM5TVN.mjs";
import "./chunk-IZMGYGSR.mjs";
import "./chunk-R4XR2K5O.mjs";
import "./chunk-6AD525UC.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-EVLKFKOZ.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-ZKOMBEYM.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-AYR2ZLAY.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/cli/main.ts
await runCommandLine(process.argv);
