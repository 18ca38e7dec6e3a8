import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/platform/installation-bundle.ts
import path from "node:path";
var folder = import.meta.dirname;
var installation = {
  version: "0.1.0",
  nativeDirectory: path.join(folder, "native"),
  agentPath: path.join(folder, "agent/offshoot-agent"),
  recipesDirectory: path.join(folder, "recipes"),
  downloadKernelScript: path.join(folder, "download-kernel.sh"),
  packageList: path.join(folder, "debian-packages.txt"),
  digestWorker: path.join(folder, "digest-worker.mjs"),
  resolverProcess: path.join(folder, "egress-resolver.mjs"),
  proxyProcess: path.join(folder, "egress-proxy.mjs"),
  mendNative: `fetch the whole folder ${folder} again: a part of it is missing`
};

export {
  installation
};
