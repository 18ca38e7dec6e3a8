import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  collectOutput
} from "./chunk-PGOLEHAL.mjs";
import "./chunk-XULKPRVQ.mjs";
import "./chunk-GCJLRCZB.mjs";
export {
  collectOutput
};
