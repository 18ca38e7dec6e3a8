import { expect, test } from 'vitest';
import type { UsageRow } from '../proxy/options.ts';
import { ReportLog } from './report-log.ts';
import { UsageReport } from './usage-report.ts';

function usageOf(rows: UsageRow[], rowsPerSandbox = 1000): { report: ReportLog; usage: UsageReport } {
  const report = new ReportLog(() => 1000, { rowsPerSandbox, rowsInAll: 100_000 });
  const forget = (sandboxId: string) => {
    rows.splice(0, rows.length, ...rows.filter((row) => row.sandboxId !== sandboxId));
  };
  return { report, usage: new UsageReport({ usage: () => rows.map((row) => ({ ...row })), forget }, report) };
}

const row = (name: string, connections: number, bytesIn: number): UsageRow => {
  return { sandboxId: 'sbx_one', name, port: 443, connections, bytesIn, bytesOut: 1 };
};

test('a row has the total of its name and port, however often it is brought; the same is no change', () => {
  const rows = [row('a.test', 1, 10)];
  const { report, usage } = usageOf(rows);
  usage.update();
  usage.update();
  expect(report.page().rows).toMatchObject([{ name: 'a.test', port: 443, count: 1, bytesIn: 10, bytesOut: 1 }]);
  rows[0] = row('a.test', 3, 30);
  usage.update();
  const { rows: reported, cursor } = report.page();
  expect(reported).toMatchObject([{ count: 3, bytesIn: 30, bytesOut: 1 }]);
  usage.update();
  expect(report.page(cursor).rows).toEqual([]);
});

test('names that share a row of the report are summed up in it', () => {
  const rows = Array.from({ length: 50 }, (_, index) => row(`n${String(index)}.d.test`, 2, 10));
  const { report, usage } = usageOf(rows, 10);
  usage.update();
  usage.update();
  expect(report.page().rows.reduce((sum, { count }) => sum + count, 0)).toBe(100);
  expect(report.page().rows.find(({ name }) => name === '*.d.test')).toMatchObject({ count: 80, bytesIn: 400 });
});

test('what is counted after the proxy began anew is added', () => {
  const rows = [row('a.test', 5, 50)];
  const { report, usage } = usageOf(rows);
  usage.forget('sbx_one');
  expect(rows).toEqual([]);
  rows.push(row('a.test', 1, 7));
  usage.update();
  expect(report.page().rows).toMatchObject([{ count: 6, bytesIn: 57, bytesOut: 2 }]);
});

test('what audit let through has a row of its own, with the reason', () => {
  const { report, usage } = usageOf([row('a.test', 1, 10), { ...row('a.test', 2, 500), wouldDeny: 'sni' }]);
  usage.update();
  usage.update();
  const rows = report.page().rows.map(({ reason, count, bytesIn }) => [reason, count, bytesIn]);
  expect(rows).toEqual([
    [undefined, 1, 10],
    ['sni', 2, 500],
  ]);
});
