import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  configSchema,
  loadConfig,
  parseConfig
} from "./chunk-GOEQMBUI.mjs";
import "./chunk-UIMXNFRT.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";
export {
  configSchema,
  loadConfig,
  parseConfig
};
