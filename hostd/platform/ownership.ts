import { chown } from 'node:fs/promises';

/** Gives a file or folder to a user and group. Only root can; without root (unit tests) it stays with the caller. */
export async function giveTo(path: string, uid: number, gid: number): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, gid);
}
