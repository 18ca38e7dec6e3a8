import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  runCommandLine
} from "./chunk-2QGIHJZ3.mjs";
import "./chunk-GNMEBZAE.mjs";
import "./chunk-6QMW4PQJ.mjs";
import "./chunk-6DJXB2CB.mjs";
import "./chunk-2J7B57AF.mjs";
import "./chunk-OZEBK3DO.mjs";
import "./chunk-LJQPOVH3.mjs";
import "./chunk-7WZNFVLZ.mjs";
import "./chunk-J2RS5RRK.mjs";
import "./chunk-HDXKHYD2.mjs";
import "./chunk-3D7ZWVTF.mjs";
import "./chunk-ZKOMBEYM.mjs";
import "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-DPK6MB3H.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/cli/main.ts
await runCommandLine(process.argv);
