import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const retryMs = 200;

/**
 * Waits until no other process builds in this folder, and holds that until release. SQLite's own file lock is used because the
 * kernel drops it with the process, however it dies.
 */
export async function lockBuilds(
  directory: string,
  onWait: () => void = () => undefined,
): Promise<{ release(): void }> {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(path.join(directory, '.build-lock'));
  for (let attempt = 0; ; attempt++) {
    try {
      database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
      return { release: () => database.close() };
    } catch (error) {
      if (!/locked|busy/i.test(String(error))) {
        database.close();
        throw error;
      }
      if (attempt === 0) onWait();
      await sleep(retryMs);
    }
  }
}
