import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  collectOutput
} from "./chunk-J2RS5RRK.mjs";
import "./chunk-LTWX3RIA.mjs";
import "./chunk-GCJLRCZB.mjs";
export {
  collectOutput
};
