import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";

// hostd/version.ts
var version = installation.version;

export {
  version
};
