import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  runCommandLine
} from "./chunk-22KH4MSD.mjs";
import "./chunk-DMWIUZ2G.mjs";
import "./chunk-6DJXB2CB.mjs";
import "./chunk-K52NOVPC.mjs";
import "./chunk-2LCA46XA.mjs";
import "./chunk-LNBLW6TD.mjs";
import "./chunk-LIYAIIBS.mjs";
import "./chunk-Z5KUFLGQ.mjs";
import "./chunk-DBUO72CA.mjs";
import "./chunk-F7REKZZJ.mjs";
import "./chunk-WXIR43AS.mjs";
import "./chunk-LIAEBXQE.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/cli/main.ts
await runCommandLine(process.argv);
