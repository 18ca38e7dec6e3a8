import { link, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';

/** Packages of about three images. */
export const cacheLimitBytes = 1024 * 1024 * 1024;

/** Hard links every cached package into an archives folder: apt checks each by its hash before it uses it. */
export async function linkPackages(cache: string, archives: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  for (const name of await debFiles(cache)) {
    await linkUnlessThere(path.join(cache, name), path.join(archives, name));
  }
}

/** Keeps whole packages of a finished or abandoned download; packages still in `partial/` are not among them. */
export async function keepPackages(archives: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const now = new Date();
  for (const name of await debFiles(archives)) {
    const kept = path.join(cache, name);
    if (await linkUnlessThere(path.join(archives, name), kept)) await utimes(kept, now, now);
  }
}

/** Removes the packages that entered first until the rest fits. */
export async function trimCache(cache: string, limitBytes = cacheLimitBytes): Promise<void> {
  const files = await Promise.all(
    (await debFiles(cache)).map(async (name) => ({
      file: path.join(cache, name),
      stats: await stat(path.join(cache, name)),
    })),
  );
  files.sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
  let bytes = 0;
  for (const { file, stats } of files) {
    bytes += stats.size;
    if (bytes > limitBytes) await rm(file, { force: true });
  }
}

async function debFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith('.deb')).sort();
}

/** False when the name is taken, or the folders lie on different file systems: the cache is only a help. */
async function linkUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['EEXIST', 'ENOENT', 'EXDEV', 'EMLINK'].includes(code)) return false;
    throw error;
  }
}
