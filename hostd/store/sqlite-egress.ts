import type { DatabaseSync } from 'node:sqlite';
import { egressCountRowSchema, egressCursorRowSchema } from './rows.ts';
import { SqliteTable } from './sqlite-table.ts';
import type { EgressRows } from './store.ts';

export function sqliteEgress(database: DatabaseSync): EgressRows {
  const counts = new SqliteTable(database, 'egressCounts', egressCountRowSchema);
  const cursors = new SqliteTable(database, 'egressCursors', egressCursorRowSchema);
  return {
    put: (row) => counts.insert(row, 'replace'),
    of: (sandboxId, countedBy) =>
      countedBy === undefined
        ? counts.select('WHERE sandboxId = $sandboxId ORDER BY key, source', { sandboxId })
        : counts.select('WHERE sandboxId = $sandboxId AND countedBy = $countedBy ORDER BY key, source', {
            sandboxId,
            countedBy,
          }),
    total: ({ sandboxId, key, source }) => {
      const sum = counts
        .prepare(
          `SELECT total(count) AS count, total(count) FILTER (WHERE source = $source) AS own, min(firstMs) AS firstMs
           FROM egressCounts WHERE sandboxId = $sandboxId AND key = $key`,
        )
        .get({ sandboxId, key, source });
      const firstMs = typeof sum?.firstMs === 'number' ? sum.firstMs : undefined;
      return { count: Number(sum?.count), own: Number(sum?.own), firstMs };
    },
    announced: (sandboxId) =>
      Number(
        counts.prepare('SELECT events FROM egressAnnounced WHERE sandboxId = $sandboxId').get({ sandboxId })?.events ??
          0,
      ),
    setAnnounced: (sandboxId, events) => {
      counts
        .prepare('INSERT OR REPLACE INTO egressAnnounced (sandboxId, events) VALUES ($sandboxId, $events)')
        .run({ sandboxId, events });
    },
    cursors: () => cursors.select('ORDER BY helper'),
    setCursor: (row) => cursors.insert(row, 'replace'),
  };
}
