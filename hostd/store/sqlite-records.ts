import type { DatabaseSync } from 'node:sqlite';
import { eventRowSchema, idempotencyRowSchema } from './rows.ts';
import { SqliteTable } from './sqlite-table.ts';
import type { Counters, EventRows, IdempotencyRows } from './store.ts';

/** How many events are kept; the oldest go in batches. */
export const keptEvents = 10_000;
const trimEvery = 256;

export function sqliteEvents(database: DatabaseSync): EventRows {
  const table = new SqliteTable(database, 'events', eventRowSchema);
  const latestId = () =>
    Number(table.prepare(`SELECT seq AS result FROM sqlite_sequence WHERE name = 'events'`).get()?.result ?? 0);
  return {
    append: (event) => {
      table.insert(event);
      const id = Number(table.prepare('SELECT last_insert_rowid() AS id').get()?.id);
      if (id % trimEvery === 0) table.prepare('DELETE FROM events WHERE id <= $last').run({ last: id - keptEvents });
      return { ...event, id };
    },
    after: (afterId, limit, sandboxId) =>
      sandboxId === undefined
        ? table.select('WHERE id > $afterId ORDER BY id LIMIT $limit', { afterId, limit })
        : table.select('WHERE id > $afterId AND sandboxId = $sandboxId ORDER BY id LIMIT $limit', {
            afterId,
            limit,
            sandboxId,
          }),
    latestId,
  };
}

export function sqliteIdempotency(database: DatabaseSync): IdempotencyRows {
  const table = new SqliteTable(database, 'idempotency', idempotencyRowSchema);
  return {
    get: (key) => table.selectOne('WHERE key = $key', { key }),
    put: (row) => table.insert(row, 'replace'),
    deleteBefore: (createdAtMs) => {
      table.prepare('DELETE FROM idempotency WHERE createdAtMs < $createdAtMs').run({ createdAtMs });
    },
  };
}

export function sqliteCounters(database: DatabaseSync): Counters {
  const add = database.prepare(
    'INSERT INTO counters (name, value) VALUES ($name, $amount) ON CONFLICT (name) DO UPDATE SET value = value + $amount',
  );
  const all = database.prepare('SELECT name, value FROM counters ORDER BY name');
  return {
    add: (name, amount) => {
      add.run({ name, amount });
    },
    all: () => Object.fromEntries(all.all().map((row) => [String(row.name), Number(row.value)])),
  };
}
