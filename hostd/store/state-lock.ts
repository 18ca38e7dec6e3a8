import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OffshootError } from '../errors/offshoot-error.ts';

export interface StateLock {
  release(): void;
}

/** Kept from the garbage collector, which would close the file and so give the lock away. */
const held = new Set<DatabaseSync>();

/**
 * Takes the state directory for this process, making it when missing. The lock is SQLite's own lock on a file held
 * open, which the kernel drops when the process dies however it dies. Throws `state-locked` naming the other's pid.
 */
export function lockState(stateDirectory: string): StateLock {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o711 });
  const database = new DatabaseSync(join(stateDirectory, 'hostd.lock'), { timeout: 0 });
  const pidFile = join(stateDirectory, 'hostd.pid');
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;');
  } catch (cause) {
    database.close();
    if (!(cause instanceof Error) || !cause.message.includes('locked')) throw cause;
    const pid = readPid(pidFile);
    const who = pid === undefined ? 'Another hostd' : `Another hostd (pid ${String(pid)})`;
    throw new OffshootError('state-locked', {
      message: `${who} uses ${stateDirectory}.`,
      details: { stateDirectory, ...(pid === undefined ? {} : { pid }) },
      cause,
    });
  }
  held.add(database);
  writeFileSync(pidFile, `${String(process.pid)}\n`);
  return {
    release: () => {
      held.delete(database);
      if (database.isOpen) database.close();
    },
  };
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
