import path from 'node:path';

/** What lies in action/dist beside the code: all a runner needs, for it has only tracked files. */

export const checkout = path.resolve(import.meta.dirname, '../..');

/** The committed bundle. */
export const committedBundle = path.join(checkout, 'action/dist');

/** Programs by the name of their file; code they share is in chunks beside them. */
export const programs: Readonly<Record<string, string>> = {
  action: 'action/main.ts',
  post: 'action/post.ts',
  shell: 'action/shell/main.ts',
  'local-host': 'action/local/local-host.ts',
  offshoot: 'hostd/cli/main.ts',
  'digest-worker': 'hostd/sandbox/snapshot/digest-worker.ts',
  'egress-resolver': 'hostd/net/egress/gate/resolver-process.ts',
  'egress-proxy': 'hostd/net/egress/gate/proxy-process.ts',
  'image-digest': 'hostd/guest/image/print-recipe-digest.ts',
};

/** Modules that know where files are, and what stands for them in a bundle. */
export const replacedModules: Readonly<Record<string, string>> = {
  'hostd/platform/installation.ts': 'hostd/platform/installation-bundle.ts',
  'action/local/dist-folder.ts': 'action/local/dist-folder-bundle.ts',
};

/** Files that are copied: where they go and where they come from. hostd/platform/installation-bundle.ts looks for them there. */
export const copiedFiles: Readonly<Record<string, string>> = {
  'recipes/default.json': 'hostd/guest/image/recipes/default.json',
  'download-kernel.sh': 'hostd/guest/image/kernel/download-kernel.sh',
  'debian-packages.txt': 'hostd/setup/debian-packages.txt',
};

/** Compiled by make, static. */
export const binaries: Readonly<Record<string, string>> = {
  'agent/offshoot-agent': 'build/agent/offshoot-agent',
  'native/launcher': 'build/native/launcher',
  'native/freeze': 'build/native/freeze',
  'native/kvm-probe.bin': 'build/native/kvm-probe.bin',
  'native/tsc-khz': 'build/native/tsc-khz',
};

export const toolchainFile = 'TOOLCHAIN.txt';
export const licencesFile = 'THIRD-PARTY-LICENSES.txt';
