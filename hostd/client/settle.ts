import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

export interface Unplaced {
  name: string;
  why: string;
}

/**
 * Does work in a new folder inside `folder`, then moves what it made there to its place in `folder`. When the work fails nothing of it is left.
 * Also returns what could not be placed because something of another kind stands there.
 */
export async function settle<Result>(
  folder: string,
  work: (fresh: string) => Promise<Result>,
): Promise<{ result: Result; unplaced: Unplaced[] }> {
  const fresh = await mkdtemp(path.join(folder, '.offshoot-partial-'));
  try {
    const result = await work(fresh);
    const unplaced: Unplaced[] = [];
    await moveInto(fresh, folder, '', unplaced);
    return { result, unplaced };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Never goes through a symbolic link of the target, nor puts a folder in the place of a file or a file in that of a folder. */
async function moveInto(from: string, to: string, name: string, unplaced: Unplaced[]): Promise<void> {
  for (const entry of await readdir(path.join(from, name), { withFileTypes: true })) {
    const inside = name === '' ? entry.name : `${name}/${entry.name}`;
    const there = await lstat(path.join(to, inside)).catch(() => undefined);
    if (there === undefined || !(entry.isDirectory() || there.isDirectory())) {
      await rename(path.join(from, inside), path.join(to, inside));
    } else if (!there.isDirectory()) unplaced.push({ name: inside, why: 'needs a folder where a file or a link is' });
    else if (!entry.isDirectory()) unplaced.push({ name: inside, why: 'is a file where a folder is' });
    else await moveInto(from, to, inside, unplaced);
  }
}
