import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file whole or not at all, and resolves when it survives a power cut. Mode 0644 less the umask by default. */
export async function writeDurably(path: string, content: string | Buffer, mode = 0o644): Promise<void> {
  const beside = `${path}.new`;
  const file = await open(beside, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  await syncDirectory(dirname(path));
}

/** Makes names made or removed in a folder survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
