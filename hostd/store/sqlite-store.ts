import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { OffshootError } from '../errors/offshoot-error.ts';
import { migrations } from './migrations.ts';
import { sqliteEgress } from './sqlite-egress.ts';
import { sqliteCounters, sqliteEvents, sqliteIdempotency } from './sqlite-records.ts';
import { sqliteExecs, sqliteResources, sqliteSandboxes } from './sqlite-sandboxes.ts';
import type { Store } from './store.ts';

/**
 * Opens the database, making or migrating it; `:memory:` is the store of tests. Throws `state-newer`.
 * Durability: WAL with synchronous=NORMAL survives the death of the process at any point. A power cut may take the last
 * transactions with it, which leaks nothing: processes and networks are gone too, and folders nobody knows are found by
 * looking at the folders themselves.
 */
export function openSqliteStore(path: string): Store {
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  if (path !== ':memory:') chmodSync(path, 0o600);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2048;');
    migrate(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  /** Of the open transaction; undefined when there is none. */
  let undos: (() => void)[] | undefined;
  const transaction = <Result>(work: () => Result): Result => {
    if (undos !== undefined) return work();
    database.exec('BEGIN IMMEDIATE');
    const ofThis: (() => void)[] = (undos = []);
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      for (const undo of ofThis.toReversed()) undo();
      throw error;
    } finally {
      undos = undefined;
    }
  };
  return {
    sandboxes: sqliteSandboxes(database),
    resources: sqliteResources(database),
    execs: sqliteExecs(database),
    events: sqliteEvents(database),
    idempotency: sqliteIdempotency(database),
    counters: sqliteCounters(database),
    egress: sqliteEgress(database),
    hashKey: readHashKey(database),
    transaction,
    onRollback: (undo) => void undos?.push(undo),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

function migrate(database: DatabaseSync, path: string): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) {
    throw new OffshootError('state-newer', {
      message: `${path} has schema version ${String(version)}; this Offshoot knows up to ${String(migrations.length)}.`,
      details: { path, version, known: migrations.length },
    });
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${String(index + 1)}; COMMIT;`);
  }
}

function readHashKey(database: DatabaseSync): Buffer {
  const row = database.prepare(`SELECT value FROM meta WHERE name = 'hashKey'`).get();
  if (!(row?.value instanceof Uint8Array)) throw new Error('The state has no hash key.');
  return Buffer.from(row.value);
}
