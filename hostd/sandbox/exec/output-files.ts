import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Where the log of one exec is. */
export interface LogPaths {
  data: string;
  index: string;
}

export interface LogFiles {
  data: FileHandle;
  index: FileHandle;
}

/** Opens both for writing, making them for their owner alone. */
export async function openLogFiles(paths: LogPaths): Promise<LogFiles> {
  await mkdir(dirname(paths.data), { recursive: true, mode: 0o700 });
  const flags = constants.O_RDWR | constants.O_CREAT;
  const index = await open(paths.index, flags, 0o600);
  try {
    return { index, data: await open(paths.data, flags, 0o600) };
  } catch (error) {
    await index.close();
    throw error;
  }
}

/** Writes all pieces one behind the other, however many calls it takes. */
export async function writeAll(file: FileHandle, pieces: Buffer[], position: number): Promise<void> {
  let rest = pieces;
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest.slice(0, 1024), at);
    at += bytesWritten;
    rest = dropBytes(rest, bytesWritten);
  }
}

function dropBytes(pieces: Buffer[], count: number): Buffer[] {
  let left = count;
  for (const [index, piece] of pieces.entries()) {
    if (left < piece.length) return [piece.subarray(left), ...pieces.slice(index + 1)];
    left -= piece.length;
  }
  return [];
}

/** The host has no room, or a limit on the file says so. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}
