import { copyFile, chmod, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { machineFiles } from './machine-files.ts';

const pageBytes = 4096;

/**
 * The path of an initramfs whose length is whole pages: `path` itself, or a copy in the machine's folder with zeros after it, which Linux
 * skips. QEMU's microvm puts the initramfs below the top of memory from a page's start on, and SeaBIOS has the ACPI tables in the last page:
 * the end of one that reaches far into that page lies over them, and the kernel finds no device (seen on QEMU 10.0.13 with SeaBIOS 1.16.3).
 */
export async function initramfsOfWholePages(path: string, directory: string): Promise<string> {
  const { size } = await stat(path);
  if (size % pageBytes === 0) return path;
  const padded = join(directory, machineFiles.initramfs);
  await copyFile(path, padded);
  await truncate(padded, Math.ceil(size / pageBytes) * pageBytes);
  // the VMM's user opens it again by its descriptor
  await chmod(padded, 0o444);
  return padded;
}
