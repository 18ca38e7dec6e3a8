import { expect, test } from 'vitest';
import type { EgressDenial, EgressReport } from '../contract/egress.ts';
import { execNotice } from './exec-notice.ts';

const before = '2030-01-01T00:00:00.000Z';
const start = '2030-01-01T00:01:00.000Z';
const later = '2030-01-01T00:01:05.000Z';
const denial: EgressDenial = {
  name: 'b.example',
  address: null,
  port: 443,
  transport: 'tcp',
  count: 7,
  bytesIn: 0,
  bytesOut: 0,
  firstAt: before,
  lastAt: later,
  reason: 'sni',
  blocked: true,
};

function noticeOf(changes: Partial<EgressReport>): string {
  const report: EgressReport = {
    policy: { mode: 'enforce', allow: ['a.example:443', 'git.example:22 private'], revision: 1 },
    allowed: [],
    denied: [denial],
    deniedCount: 7,
    omitted: 0,
    suggestedAllow: ['a.example:443', 'git.example:22 private', 'b.example:443', 'old.example:443'],
    ...changes,
  };
  return execNotice('sbx_1', report, start);
}

test('has what was denied since it began, and the whole list that would allow it', () => {
  const old = { ...denial, name: 'old.example', lastAt: before };
  expect(noticeOf({ denied: [old, denial] })).toBe(`offshoot: egress enforce: 1 place not allowed while it ran
  b.example, port 443: sni
  to allow it: offshoot sandbox firewall set sbx_1 a.example:443 'git.example:22 private' b.example:443
`);
  expect(noticeOf({ denied: [old] })).toBe('');
});

test('says of what is closed in every mode which rule opens it, and of what audit let through nothing', () => {
  const closed = { ...denial, name: null, address: '10.20.0.5', port: 5432, reason: 'private-range' } as const;
  const line = '  10.20.0.5, port 5432: private-range; if it is meant, a rule opens it: 10.20.0.5:5432\n';
  expect(noticeOf({ denied: [closed] })).toBe(`offshoot: egress enforce: 1 place not allowed while it ran\n${line}`);
  const policy: EgressReport['policy'] = { mode: 'audit', allow: [], revision: 1 };
  expect(noticeOf({ policy, denied: [closed, { ...denial, blocked: false }] })).toBe(
    `offshoot: egress audit: 1 place not allowed while it ran\n${line}`,
  );
});

test('is short, and text for shell and terminal', () => {
  const many = Array.from({ length: 5 }, (_, n) => ({ ...denial, name: `n${String(n)}.example` }));
  const suggestedAllow = many.map(({ name }) => `${name}:443`);
  const notice = noticeOf({ denied: many, suggestedAllow });
  expect(notice).toContain('and 2 more: offshoot sandbox firewall show sbx_1\n');
  expect(notice).toContain('set sbx_1 --from FILE with the list of offshoot sandbox firewall show sbx_1\n');
  expect(notice.split('\n')).toHaveLength(7);
  const hostile = 'x$(id)\u001b[2J.example';
  const quoted = noticeOf({ denied: [{ ...denial, name: hostile }], suggestedAllow: [`${hostile}:443`] });
  expect(quoted).toContain(" 'x$(id)?[2J.example:443'\n");
  expect(quoted.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
