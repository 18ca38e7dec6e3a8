import { constants } from 'node:fs';
import { chmod, chown, copyFile, link } from 'node:fs/promises';
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

/** Gives a machine its own copy of an empty overlay: shared extents where the file system can. The VMM's user alone may use it. */
export async function copyOverlay(seed: string, path: string, owner: { uid: number; gid: number }): Promise<void> {
  await copyFile(seed, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await ownOverlay(path, owner);
}

export async function ownOverlay(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await chown(path, uid, gid);
  await chmod(path, 0o600);
}

/** Nobody writes it any more. */
export async function sealFile(path: string): Promise<void> {
  await chown(path, 0, 0);
  await chmod(path, 0o400);
}

/** Gives a file a second name, so that it outlives the removal of the first; the old path when the other is on another file system. */
export async function linkOrStay(from: string, to: string): Promise<string> {
  try {
    await link(from, to);
    return to;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EXDEV') return from;
    throw error;
  }
}
