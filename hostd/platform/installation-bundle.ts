import path from 'node:path';
import type { Installation } from './installation-parts.ts';

/** Put in by the bundler. */
declare const OFFSHOOT_VERSION: string;

const folder = import.meta.dirname;

/** Where the parts are beside bundled code, which lies flat in one folder (action/bundle/layout.ts). */
export const installation: Installation = {
  version: OFFSHOOT_VERSION,
  nativeDirectory: path.join(folder, 'native'),
  agentPath: path.join(folder, 'agent/offshoot-agent'),
  recipesDirectory: path.join(folder, 'recipes'),
  downloadKernelScript: path.join(folder, 'download-kernel.sh'),
  packageList: path.join(folder, 'debian-packages.txt'),
  digestWorker: path.join(folder, 'digest-worker.mjs'),
  resolverProcess: path.join(folder, 'egress-resolver.mjs'),
  proxyProcess: path.join(folder, 'egress-proxy.mjs'),
  mendNative: `fetch the whole folder ${folder} again: a part of it is missing`,
};
