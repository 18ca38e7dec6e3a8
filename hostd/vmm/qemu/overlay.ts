import { constants } from 'node:fs';
import { chmod, chown, copyFile } from 'node:fs/promises';
import { runChecked, type Runner } from '../../platform/run.ts';
import type { DiskLayer } from './disk-chain.ts';

/** Makes an empty qcow2 over `base` (absolute path), of `diskMiB`, or the base's own size when absent. */
export async function createOverlay(
  runner: Runner,
  path: string,
  base: DiskLayer,
  diskMiB: number | undefined,
): Promise<void> {
  const size = diskMiB === undefined ? [] : [`${String(diskMiB)}M`];
  await runChecked(runner, 'qemu-img', [
    'create',
    '-q',
    '-f',
    'qcow2',
    '-F',
    base.format,
    '-b',
    base.path,
    path,
    ...size,
  ]);
}

/** Gives a machine its own copy of a snapshot's empty overlay: shared extents where the file system can. */
export async function copyOverlay(seed: string, path: string): Promise<void> {
  await copyFile(seed, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}

/** The VMM's user alone may use it. */
export async function ownOverlay(path: string, uid: number, gid: number): Promise<void> {
  await chown(path, uid, gid);
  await chmod(path, 0o600);
}
