import { closeSync, futimesSync, openSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TarEntry } from './tar-entries.ts';

/** Up to this a file is written at once: thousands of small ones each take longer to hand to a thread than to write. */
export const smallBytes = 128 * 1024;

/** The file system's failure, told apart from that of the archive. */
export class NotWritten extends Error {}

export async function writeSmall(file: string, mode: number, entry: TarEntry): Promise<void> {
  const pieces: Buffer[] = [];
  if (entry.sizeBytes > 0) for await (const piece of entry.content()) pieces.push(piece);
  try {
    const fd = openSync(file, 'wx', mode);
    try {
      for (const piece of pieces) writeFileSync(fd, piece);
      setTime(() => {
        futimesSync(fd, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
      });
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new NotWritten('small file', { cause: error });
  }
}

export async function writeLarge(file: string, mode: number, entry: TarEntry): Promise<void> {
  const handle = await written(open(file, 'wx', mode));
  try {
    for await (const piece of entry.content()) await written(handle.writeFile(piece));
    await handle.utimes(entry.mtimeMs / 1000, entry.mtimeMs / 1000).catch(() => undefined);
  } finally {
    await handle.close();
  }
}

/** A guest can name times that no clock here can show: the file keeps the present one then. */
function setTime(set: () => void): void {
  try {
    set();
  } catch {
    // as said
  }
}

async function written<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw new NotWritten('file', { cause: error });
  });
}
