import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { OffshootError } from '../errors/offshoot-error.ts';

/** Programs hostd runs while it serves, and the Debian package of each. Image builds need more and check that themselves. */
export const runtimeTools: Readonly<Record<string, string>> = {
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  nft: 'nftables',
  ip: 'iproute2',
  nsenter: 'util-linux',
};

const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The search path with the folders of system programs, which `su` and some services leave out. */
export function systemSearchPath(path: string | undefined): string {
  const folders = (path ?? '/usr/local/bin:/usr/bin:/bin').split(':');
  return [...folders, ...systemFolders.filter((folder) => !folders.includes(folder))].join(':');
}

/** The names of `tools` that are not on the search path. */
export async function missingTools(tools: readonly string[], searchPath: string): Promise<string[]> {
  const found = await Promise.all(tools.map((tool) => isOnPath(tool, searchPath)));
  return tools.filter((_tool, index) => found[index] !== true);
}

/** Throws `tool-missing` with the command that installs everything missing. */
export async function requireTools(searchPath: string): Promise<void> {
  const missing = await missingTools(Object.keys(runtimeTools), searchPath);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => runtimeTools[tool] ?? tool))];
  throw new OffshootError('tool-missing', {
    message: `hostd needs ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not installed.`,
    hint: `Install what is missing: sudo apt-get install --no-install-recommends ${packages.join(' ')}`,
    details: { tools: missing, packages },
  });
}

async function isOnPath(tool: string, searchPath: string): Promise<boolean> {
  for (const folder of searchPath.split(':')) {
    const found = await access(join(folder, tool), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
