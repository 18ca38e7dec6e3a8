import { join } from 'node:path';
import { OffshootError } from '../errors/offshoot-error.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { openSqliteStore } from '../store/sqlite-store.ts';
import { lockState, type StateLock } from '../store/state-lock.ts';
import type { Store } from '../store/store.ts';

/** Locks the state directory and opens its database. Throws `state-locked`, `state-newer`, `host-disk-full`, `config-invalid`. */
export function openState(stateDirectory: string): { store: Store; close: () => void } {
  attempt(stateDirectory, () => {
    makeFolder(stateDirectory, 0o711);
  });
  const lock = attempt(stateDirectory, () => lockState(stateDirectory));
  try {
    const store = attempt(stateDirectory, () => openSqliteStore(join(stateDirectory, 'hostd.db')));
    return { store, close: () => closeBoth(store, lock) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function closeBoth(store: Store, lock: StateLock): void {
  try {
    store.close();
  } finally {
    lock.release();
  }
}

function attempt<T>(stateDirectory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStateError(error, stateDirectory);
  }
}

const unusable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT', 'ENAMETOOLONG', 'ELOOP']);

/** Tells a full disk and an unusable folder from what nobody foresaw. */
export function toStateError(error: unknown, stateDirectory: string): unknown {
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT' || /disk is full|disk I\/O error/.test(error.message))
    return new OffshootError('host-disk-full', {
      message: `There is no room to write in ${stateDirectory}.`,
      hint: `Free space there (df -h ${stateDirectory}), or give --state another directory.`,
      details: { stateDirectory },
      cause: error,
    });
  if (typeof code === 'string' && unusable.has(code))
    return new OffshootError('config-invalid', {
      message: `The state directory ${stateDirectory} can not be used: ${error.message}.`,
      hint: 'Give --state a directory that root can write to.',
      details: { issues: [{ path: 'stateDirectory', message: error.message }] },
      cause: error,
    });
  return error;
}
