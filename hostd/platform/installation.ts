import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Installation } from './installation-parts.ts';

const root = path.join(import.meta.dirname, '../..');
const hostd = path.join(root, 'hostd');

function versionOf(packageFile: unknown): string {
  const hasVersion = typeof packageFile === 'object' && packageFile !== null && 'version' in packageFile;
  return hasVersion ? String(packageFile.version) : '0.0.0';
}

/** Where the parts are in a checkout. Bundling puts installation-bundle.ts in the place of this module. */
export const installation: Installation = {
  version: versionOf(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))),
  nativeDirectory: path.join(root, 'build/native'),
  agentPath: path.join(root, 'build/agent/offshoot-agent'),
  recipesDirectory: path.join(hostd, 'guest/image/recipes'),
  downloadKernelScript: path.join(hostd, 'guest/image/kernel/download-kernel.sh'),
  packageList: path.join(hostd, 'setup/debian-packages.txt'),
  digestWorker: path.join(hostd, 'sandbox/snapshot/digest-worker.ts'),
  resolverProcess: path.join(hostd, 'net/egress/gate/resolver-process.ts'),
  proxyProcess: path.join(hostd, 'net/egress/gate/proxy-process.ts'),
  mendNative: `npm run native --prefix ${root}`,
};
