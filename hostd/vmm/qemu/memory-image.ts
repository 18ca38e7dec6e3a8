import { chmod, chown, open, truncate } from 'node:fs/promises';
import { mapsReadOnlyMemoryFiles, type QemuVersion } from './qemu-version.ts';

/** Makes an image of `memoryMiB` that is one hole, for VMMs to map. The path must not exist. */
export async function createEmptyImage(path: string, memoryMiB: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.truncate(memoryMiB * 2 ** 20).finally(() => file.close());
}

/**
 * Lets VMMs (all are of one group) map an image and gives it its whole length, which QEMU wants before it maps. Before 8.2 QEMU opens what
 * it maps for writing, also when the mapping is private.
 */
export async function openToVmms(
  path: string,
  image: { memoryMiB: number; gid: number; version: QemuVersion },
): Promise<void> {
  await truncate(path, image.memoryMiB * 2 ** 20);
  await chown(path, 0, image.gid);
  await chmod(path, mapsReadOnlyMemoryFiles(image.version) ? 0o640 : 0o660);
}
