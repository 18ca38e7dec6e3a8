import type { DatabaseSync } from 'node:sqlite';
import { execRowSchema, resourceRowSchema, sandboxRowSchema } from './rows.ts';
import { SqliteTable } from './sqlite-table.ts';
import type { ExecRows, ResourceRows, SandboxRows } from './store.ts';

export function sqliteSandboxes(database: DatabaseSync): SandboxRows {
  const table = new SqliteTable(database, 'sandboxes', sandboxRowSchema);
  return {
    insert: (row) => table.insert(row),
    update: (id, patch) => table.update({ id }, patch),
    get: (id) => table.selectOne('WHERE id = $id', { id }),
    inStates: (states) =>
      table.select('WHERE state IN (SELECT value FROM json_each($states)) ORDER BY createdAtMs, id', { states }),
    gone: (limit) => table.select(`WHERE state = 'gone' ORDER BY endedAtMs DESC, id LIMIT $limit`, { limit }),
    expired: ({ keep, keepBytes, endedBeforeMs }) =>
      table
        .prepare(
          `SELECT id FROM (
             SELECT id, endedAtMs,
               row_number() OVER newest AS position,
               sum(outputBytes) OVER newest AS bytes
             FROM sandboxes WHERE state = 'gone'
             WINDOW newest AS (ORDER BY endedAtMs DESC, id ROWS UNBOUNDED PRECEDING)
           ) WHERE position > $keep OR bytes > $keepBytes OR endedAtMs < $endedBeforeMs
           ORDER BY endedAtMs, id`,
        )
        .all({ keep, keepBytes, endedBeforeMs })
        .map((row) => String(row.id)),
    delete: (id) => table.delete({ id }),
  };
}

export function sqliteResources(database: DatabaseSync): ResourceRows {
  const table = new SqliteTable(database, 'resources', resourceRowSchema);
  return {
    record: (row) => table.insert(row, 'replace'),
    update: (owner, kind, name, detail) => table.update({ owner, kind, name }, { detail }),
    of: (owner) => table.select('WHERE owner = $owner', { owner }),
    all: () => table.select(''),
    erase: (owner, kind, name) => table.delete({ owner, kind, name }),
    eraseAll: (owner) => table.delete({ owner }),
  };
}

export function sqliteExecs(database: DatabaseSync): ExecRows {
  const table = new SqliteTable(database, 'execs', execRowSchema);
  const number = (sql: string, sandboxId: string) => Number(table.prepare(sql).get({ sandboxId })?.result ?? 0);
  return {
    insert: (row) => table.insert(row),
    update: (sandboxId, id, patch) => table.update({ sandboxId, id }, patch),
    get: (sandboxId, id) => table.selectOne('WHERE sandboxId = $sandboxId AND id = $id', { sandboxId, id }),
    of: (sandboxId, limit) =>
      table.select('WHERE sandboxId = $sandboxId ORDER BY sequence DESC LIMIT $limit', { sandboxId, limit }).reverse(),
    running: (sandboxId) =>
      table.select(`WHERE sandboxId = $sandboxId AND state = 'running' ORDER BY sequence`, { sandboxId }),
    highestStreamId: (sandboxId) =>
      number('SELECT max(streamId) AS result FROM execs WHERE sandboxId = $sandboxId', sandboxId),
    totalOutputBytes: (sandboxId) =>
      number('SELECT sum(outputBytes) AS result FROM execs WHERE sandboxId = $sandboxId', sandboxId),
    delete: (sandboxId, id) => table.delete({ sandboxId, id }),
  };
}
