import { access, constants, statfs } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../errors/offshoot-error.ts';

/** Programs a build runs, and the Debian package that brings each. */
const tools: Readonly<Record<string, string>> = {
  mmdebstrap: 'mmdebstrap',
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
  'mkfs.ext4': 'e2fsprogs',
  cpio: 'cpio',
  xz: 'xz-utils',
  lz4: 'lz4',
  setpriv: 'util-linux',
  unshare: 'util-linux',
  npm: 'npm',
};

/** A default image takes 0.9 GiB, its build folder once more the unpacked root and the packages. */
export const requiredFreeMiB = 3072;

/** What a build needs of the host. Throws `not-root`, `tool-missing`, `host-disk-full`. */
export async function checkHost(
  stateDirectory: string,
  env: NodeJS.ProcessEnv = process.env,
  uid = process.getuid?.(),
): Promise<void> {
  if (uid !== 0) {
    throw new OffshootError('not-root', {
      message: 'Building an image needs root: it unpacks packages with their owners and enters the new root.',
      hint: 'Run it with sudo.',
    });
  }
  for (const [tool, debianPackage] of Object.entries(tools)) {
    if (await isOnPath(tool, env['PATH'] ?? '')) continue;
    throw new OffshootError('tool-missing', {
      message: `Building an image needs ${tool}.`,
      hint: `Install it: apt-get install ${debianPackage}`,
      details: { tool, package: debianPackage },
    });
  }
  const { bavail, bsize } = await statfs(stateDirectory);
  const freeMiB = Math.floor((bavail * bsize) / 1024 / 1024);
  if (freeMiB < requiredFreeMiB) throw diskFull(stateDirectory, freeMiB);
}

function diskFull(stateDirectory: string, freeMiB: number): OffshootError {
  return new OffshootError('host-disk-full', {
    message: `Building an image needs ${String(requiredFreeMiB)} MiB free in ${stateDirectory}; there are ${String(freeMiB)}.`,
    details: { freeMiB, requiredFreeMiB },
  });
}

async function isOnPath(tool: string, searchPath: string): Promise<boolean> {
  for (const directory of searchPath.split(path.delimiter)) {
    const found = await access(path.join(directory, tool), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
