import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type * as Module from './tell-denials.ts';
import { denial, reportOf } from './testing/reports.ts';

let written: string;
/** Annotations are counted for the whole process. */
let tellDenials: typeof Module.tellDenials;

beforeEach(async () => {
  written = '';
  vi.resetModules();
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  ({ tellDenials } = await import('./tell-denials.ts'));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const six = Array.from({ length: 6 }, (_, n) => denial({ name: `n${String(n)}.example.com`, lastAt: at(n) }));

test('what was blocked is a notice that names the last ones', () => {
  const report = reportOf({
    denied: [...six.slice(0, 5), denial({ name: 'n5.example.com', lastAt: at(5), count: 3 })],
  });
  expect(tellDenials({ report }, { fail: false })).toBeUndefined();
  expect(written).toBe(
    '::notice title=Offshoot%3A egress denied::8 attempts to reach what the egress rules do not allow: n5.example.com:443 (sni, 3 times), n4.example.com:443 (sni), n3.example.com:443 (sni), n2.example.com:443 (sni), n1.example.com:443 (sni), and more. The summary has all of it and a list to paste.\n',
  );
});

test('what audit only records is a line of the log', () => {
  const policy = { mode: 'audit' as const, allow: [], revision: 1 };
  const report = reportOf({ policy, denied: [denial({ blocked: false })] });
  expect(tellDenials({ report }, { fail: false })).toBeUndefined();
  expect(written).toMatch(/^1 attempt that egress-mode enforce would deny: no\.example\.com:443 \(sni\)\./);
});

test('where denials fail the step both are errors', () => {
  const report = reportOf({ denied: [denial()] });
  expect(tellDenials({ report }, { fail: true })).toContain('failed by fail-on-egress-denied: 1 attempt to reach');
  const audited = reportOf({ policy: { ...report.policy, mode: 'audit' }, denied: [denial({ blocked: false })] });
  expect(tellDenials({ report: audited }, { fail: true })).toContain('1 attempt that egress-mode enforce would deny');
  expect(written.match(/^::error title=Offshoot%3A egress denied::/gm)).toHaveLength(2);
});

test('of both kinds it says which was let through', () => {
  tellDenials(
    { report: reportOf({ denied: [denial(), denial({ name: 'b.example.com', blocked: false })] }) },
    { fail: false },
  );
  expect(written).toContain('::notice');
  expect(written).toContain('no.example.com:443 (sni), b.example.com:443 (sni, let through)');
});

test('nothing new is nothing to tell', () => {
  const report = reportOf({ denied: six });
  expect(tellDenials({ report }, { fail: true, seen: 6 })).toBeUndefined();
  expect(tellDenials({ report: reportOf() }, { fail: true })).toBeUndefined();
  expect(written).toBe('');
  expect(tellDenials({ report }, { fail: true, seen: 4 })).toContain('2 attempts');
});

test('a count whose places the host has no room for fails too', () => {
  const report = reportOf({ deniedCount: 9, omitted: 2 });
  expect(tellDenials({ report }, { fail: true })).toContain('9 attempts');
});

test('a report that is missing is a line, and fails where denials would', () => {
  expect(tellDenials({ missing: 'away' }, { fail: false })).toBeUndefined();
  expect(written).toBe('no egress report: away\n');
  expect(tellDenials({ missing: 'away' }, { fail: true })).toContain('no report');
  expect(written).toContain('::error title=Offshoot%3A no egress report::');
});

test('a mode that records nothing, set while the sandbox ran, is no way around it', () => {
  const report = reportOf({ policy: { mode: 'open', allow: [], revision: 2 } });
  expect(tellDenials({ report }, { fail: false })).toBeUndefined();
  expect(tellDenials({ report }, { fail: true })).toContain('no report');
});

test('names that a guest chose give the runner no command', () => {
  const report = reportOf({ denied: [denial({ name: '\n::error::forged\n##[error]x', blocked: false })] });
  tellDenials({ report: { ...report, policy: { ...report.policy, mode: 'audit' } } }, { fail: false });
  expect(written.split('\n')).toHaveLength(2);
  expect(written).not.toContain('##[');
});

test('notices count against the ten that a step shows', () => {
  const report = reportOf({ denied: [denial()] });
  for (let n = 0; n < 12; n += 1) tellDenials({ report }, { fail: false });
  expect(written.match(/^::notice /gm)).toHaveLength(10);
  expect(written.match(/^notice: Offshoot: egress denied: /gm)).toHaveLength(2);
});
