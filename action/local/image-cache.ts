import { stat } from 'node:fs/promises';

/** How long the cache may take; a build takes a few minutes at most. */
const restoreTimeoutMs = 180_000;
const saveTimeoutMs = 240_000;

/** Keeps a folder under a key from one run to the next. Never fails a job: what goes wrong is logged. */
export interface ImageCache {
  /** Puts the folder in its place; false when there is none. */
  restore(folder: string, key: string): Promise<boolean>;
  save(folder: string, key: string): Promise<boolean>;
}

/** The Actions cache of the running job; undefined, with a line in the log, where there is none. Its library is loaded only here. */
export async function openImageCache(log: (line: string) => void): Promise<ImageCache | undefined> {
  const cache = await import('@actions/cache');
  if (!cache.isFeatureAvailable()) {
    log('no Actions cache here: the image is built in every job');
    return undefined;
  }
  return {
    restore: (folder, key) =>
      attempt(log, 'the image was not restored', restoreTimeoutMs, async () => {
        const found = await cache.restoreCache([folder], key);
        return found !== undefined && (await stat(folder)).isDirectory();
      }),
    save: (folder, key) =>
      attempt(log, 'the image was not saved to the Actions cache', saveTimeoutMs, async () => {
        return (await cache.saveCache([folder], key)) >= 0;
      }),
  };
}

async function attempt(
  log: (line: string) => void,
  failure: string,
  timeoutMs: number,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`no end within ${String(timeoutMs / 1000)} s`));
  }, timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } catch (error) {
    log(`${failure}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}
