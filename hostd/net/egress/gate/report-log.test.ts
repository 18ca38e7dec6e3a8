import { expect, test } from 'vitest';
import type { Counted } from './report-log.ts';
import { ReportLog } from './report-log.ts';

const denied = (name: string, sandboxId = 'sbx_one'): Counted => ({
  sandboxId,
  outcome: 'denied',
  reason: 'dns-name',
  name,
  transport: 'udp',
});

function log(rowsPerSandbox = 1000, rowsInAll = 100_000): { log: ReportLog; clock: { ms: number } } {
  const clock = { ms: 1000 };
  return { clock, log: new ReportLog(() => clock.ms, { rowsPerSandbox, rowsInAll }) };
}

test('rows are totals with first and last time; a cursor gives what changed since', () => {
  const { log: counters, clock } = log();
  counters.count(denied('a.test'));
  counters.count(denied('b.test'));
  const first = counters.page();
  expect(first.rows.map(({ name, count }) => [name, count])).toEqual([
    ['a.test', 1],
    ['b.test', 1],
  ]);
  expect(counters.page(first.cursor).rows).toEqual([]);
  clock.ms = 5000;
  counters.count(denied('a.test'));
  const second = counters.page(first.cursor);
  expect(second.rows).toMatchObject([{ name: 'a.test', count: 2, firstMs: 1000, lastMs: 5000 }]);
  expect(counters.page(first.cursor).rows).toEqual(second.rows);
});

test('a reader that lost everything, and one with the cursor of another run, get all of it', () => {
  const { log: counters } = log();
  counters.count(denied('a.test'));
  const { cursor } = counters.page();
  expect(counters.page(cursor).rows).toHaveLength(0);
  expect(counters.page().rows).toHaveLength(1);
  expect(counters.page({ epoch: 'another', seq: 99 }).rows).toHaveLength(1);
});

test('pages hold so many rows and together all of them, each once', () => {
  const { log: counters } = log();
  for (let index = 0; index < 25; index += 1) counters.count(denied(`n${String(index)}.test`));
  const names: (string | undefined)[] = [];
  let page = counters.page(undefined, 10);
  names.push(...page.rows.map(({ name }) => name));
  while (page.more) {
    page = counters.page(page.cursor, 10);
    names.push(...page.rows.map(({ name }) => name));
  }
  expect(names).toEqual(Array.from({ length: 25 }, (_, index) => `n${String(index)}.test`));
});

test('rows of a sandbox that is gone stay until they were fetched', () => {
  const { log: counters } = log();
  counters.count(denied('a.test'));
  counters.drop('sbx_one');
  const page = counters.page();
  expect(page.rows).toHaveLength(1);
  expect(counters.page(page.cursor).rows).toHaveLength(0);
  expect(counters.size).toBe(0);
});

test('amounts that are given are added, and nothing is no change', () => {
  const { log: counters } = log();
  const usage = { sandboxId: 'sbx_one', outcome: 'usage', name: 'a.test', port: 443, transport: 'tcp' } as const;
  counters.count(usage, { count: 1, bytesIn: 10, bytesOut: 5 });
  counters.count(usage, { count: 0, bytesIn: 20, bytesOut: 0 });
  const { rows, cursor } = counters.page();
  expect(rows).toMatchObject([{ count: 1, bytesIn: 30, bytesOut: 5 }]);
  counters.count(usage, { count: 0, bytesIn: 0, bytesOut: 0 });
  expect(counters.page(cursor).rows).toEqual([]);
});

test('however many names a guest makes up, rows stay few and counts whole', () => {
  const { log: counters } = log(10, 1000);
  for (let index = 0; index < 5000; index += 1) {
    counters.count(denied(`a${String(index)}.d${String(index % 100)}.test`));
  }
  expect(counters.size).toBeLessThanOrEqual(21);
  expect(counters.page(undefined, 10_000).rows.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
});

test('all sandboxes together have a bound, too; what is gone makes room first', () => {
  const { log: counters } = log(10, 30);
  for (let index = 0; index < 10; index += 1) counters.count(denied(`n${String(index)}.test`, 'sbx_gone'));
  counters.drop('sbx_gone');
  for (let sandbox = 0; sandbox < 20; sandbox += 1) {
    for (let index = 0; index < 10; index += 1) {
      counters.count(denied(`n${String(index)}.test`, `sbx_${String(sandbox)}`));
    }
  }
  expect(counters.size).toBeLessThanOrEqual(30 + 20);
  const rows = counters.page(undefined, 10_000).rows;
  expect(rows.filter(({ sandboxId }) => sandboxId === 'sbx_gone')).toEqual([]);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(200);
});
