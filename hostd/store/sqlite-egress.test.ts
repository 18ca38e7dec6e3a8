import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import type { EgressCountRow } from './rows.ts';
import { sqliteEgress } from './sqlite-egress.ts';

let database: DatabaseSync;

beforeEach(() => {
  database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  for (const sql of migrations) database.exec(sql);
  const columns = database.prepare('PRAGMA table_info (sandboxes)').all();
  const required = columns.filter(({ notnull, dflt_value: preset }) => notnull === 1 && preset === null);
  const names = ['id', ...required.map(({ name }) => String(name))];
  const insert = database.prepare(
    `INSERT INTO sandboxes (${names.join(', ')}) VALUES (${names.map((name) => `$${name}`).join(', ')})`,
  );
  for (const id of ['sbx_a', 'sbx_b']) insert.run({ ...Object.fromEntries(names.map((name) => [name, 0])), id });
});
afterEach(() => {
  database.close();
});

function row(changes: Partial<EgressCountRow> = {}): EgressCountRow {
  return {
    sandboxId: 'sbx_a',
    key: 'k',
    source: 'proxy one',
    countedBy: 'proxy',
    outcome: 'denied',
    reason: 'sni',
    name: 'bad.example.com',
    address: null,
    port: 443,
    transport: 'tcp',
    count: 1,
    bytesIn: 2 ** 40,
    bytesOut: 0,
    firstMs: 10,
    lastMs: 20,
    seenPackets: 0,
    seenBytes: 0,
    ...changes,
  };
}

test('a row replaces that of its source, and sources add up', () => {
  const egress = sqliteEgress(database);
  egress.put(row());
  egress.put(row({ count: 3 }));
  egress.put(row({ source: 'proxy two', count: 4, firstMs: 5 }));
  egress.put(row({ key: 'other', source: 'filter', countedBy: 'filter', outcome: 'would-deny', name: null }));
  egress.put(row({ sandboxId: 'sbx_b', count: 100 }));
  expect(egress.total(row())).toEqual({ count: 7, own: 3, firstMs: 5 });
  expect(egress.total(row({ source: 'proxy three' }))).toEqual({ count: 7, own: 0, firstMs: 5 });
  expect(egress.total(row({ key: 'none' }))).toEqual({ count: 0, own: 0, firstMs: undefined });
  expect(egress.of('sbx_a').map(({ source }) => source)).toEqual(['proxy one', 'proxy two', 'filter']);
  expect(egress.of('sbx_a', 'proxy')[0]).toEqual(row({ count: 3 }));
  expect(egress.of('sbx_a', 'filter').length).toBe(1);
});

test('a sandbox’s rows go with it', () => {
  const egress = sqliteEgress(database);
  for (const sandboxId of ['sbx_a', 'sbx_b']) {
    egress.put(row({ sandboxId }));
    egress.setAnnounced(sandboxId, 1);
    egress.setAnnounced(sandboxId, 2);
  }
  database.exec(`DELETE FROM sandboxes WHERE id = 'sbx_a'`);
  expect([egress.of('sbx_a').length, egress.announced('sbx_a')]).toEqual([0, 0]);
  expect([egress.of('sbx_b').length, egress.announced('sbx_b')]).toEqual([1, 2]);
  expect(() => {
    egress.put(row());
  }).toThrow(/FOREIGN KEY/);
});

test('there is one cursor for each helper', () => {
  const egress = sqliteEgress(database);
  egress.setCursor({ helper: 'proxy', epoch: 'one', seq: 1 });
  egress.setCursor({ helper: 'resolver', epoch: 'three', seq: 2 });
  egress.setCursor({ helper: 'proxy', epoch: 'two', seq: 9 });
  expect(egress.cursors()).toEqual([
    { helper: 'proxy', epoch: 'two', seq: 9 },
    { helper: 'resolver', epoch: 'three', seq: 2 },
  ]);
});
