import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  collectOutput
} from "./chunk-Z5KUFLGQ.mjs";
import "./chunk-WXIR43AS.mjs";
import "./chunk-GCJLRCZB.mjs";
export {
  collectOutput
};
