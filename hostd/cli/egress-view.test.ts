import { describe, expect, test } from 'vitest';
import type { EgressDenial, EgressEntry, EgressReport } from '../contract/egress.ts';
import { describeReport, placeOf, policyRows, portOf } from './egress-view.ts';

const at = '2030-01-01T00:00:00.000Z';
const place = { address: null, transport: 'tcp', bytesIn: 0, bytesOut: 0, firstAt: at, lastAt: at } as const;
const denial: EgressDenial = { ...place, name: 'b.example', port: 443, count: 2, reason: 'sni', blocked: true };

function report(changes: Partial<EgressReport> = {}): EgressReport {
  return {
    policy: { mode: 'enforce', allow: ['a.example:443'], revision: 3 },
    allowed: [{ ...place, name: 'a.example', port: 443, count: 3, bytesIn: 52_000, bytesOut: 1200 }],
    denied: [denial],
    deniedCount: 2,
    omitted: 0,
    suggestedAllow: ['a.example:443', 'b.example:443'],
    ...changes,
  };
}

describe('a report', () => {
  test('shows the policy, what was allowed and denied, and the list to paste', () => {
    expect(describeReport('sbx_1', report())).toBe(`sbx_1: egress enforce, 1 rule (revision 3)
  a.example:443

ALLOWED    PORT  COUNT  IN        OUT      FIRST                     LAST
a.example  443   3      50.8 KiB  1.2 KiB  ${at}  ${at}

DENIED     PORT  REASON  COUNT  IN   OUT  FIRST                     LAST
b.example  443   sni     2      0 B  0 B  ${at}  ${at}
denied 2 times in all

A list that allows it, to paste:

a.example:443
b.example:443
`);
  });

  test('shows what passed past the proxy by name and address, network and transport', () => {
    const past = { ...place, count: 2, bytesIn: 3000, bytesOut: 900 };
    const allowed: EgressEntry[] = [
      { ...past, name: 'ssh.example', address: '192.0.2.1', port: 22 },
      { ...past, name: null, address: '203.0.113.0/24', port: 5432 },
      { ...past, name: null, address: '192.0.2.9', port: 123, transport: 'udp' },
    ];
    const view = describeReport('sbx_1', report({ allowed, denied: [], deniedCount: 0, suggestedAllow: [] }));
    expect(view).toContain(`
ALLOWED                  PORT     COUNT  IN       OUT    FIRST                     LAST
ssh.example (192.0.2.1)  22       2      2.9 KiB  900 B  ${at}  ${at}
203.0.113.0/24           5432     2      2.9 KiB  900 B  ${at}  ${at}
192.0.2.9                123/udp  2      2.9 KiB  900 B  ${at}  ${at}
`);
  });

  test('has the list also where only rules of before let something through', () => {
    const view = describeReport(
      'sbx_1',
      report({
        policy: { mode: 'audit', allow: [], revision: 2 },
        denied: [],
        deniedCount: 0,
        suggestedAllow: ['ssh.example:22'],
      }),
    );
    expect(view).toContain('to paste:\n\nssh.example:22\n');
  });

  test('tells what audit let through, and what had no room', () => {
    const denied = [{ ...denial, blocked: false, bytesIn: 52_000, bytesOut: 1200 }, denial];
    const view = describeReport('sbx_1', report({ denied, deniedCount: 900, omitted: 7 }));
    expect(view).toMatch(/^b\.example .* 50\.8 KiB +1\.2 KiB .* let through \(audit\)$/m);
    expect(view).toMatch(new RegExp(`^b\\.example .* ${at}$`, 'm'));
    expect(view).toContain('denied 900 times in all; 7 more places are not listed');
  });

  test('of a sandbox that was denied nothing has no list', () => {
    const quiet = report({ denied: [], deniedCount: 0, suggestedAllow: ['a.example:443'] });
    const view = describeReport('sbx_1', quiet);
    expect(view).toMatch(/\n\nDENIED {2}nothing\n$/);
    expect(view).not.toContain('paste');
    expect(view).not.toContain('in all');
    expect(view).not.toContain('suggested');
  });

  test('of a sandbox that reached nothing says so', () => {
    expect(describeReport('sbx_1', report({ allowed: [] }))).toContain('\n\nALLOWED  nothing\n\nDENIED ');
  });

  test('does not say that audit denied what it let through', () => {
    const policy: EgressReport['policy'] = { mode: 'audit', allow: [], revision: 1 };
    const view = describeReport('sbx_1', report({ policy, denied: [{ ...denial, blocked: false }] }));
    expect(view).toContain('\nenforce would deny 2 times in all\n');
    expect(view).not.toContain('denied 2 times');
  });

  test('says so when no rule would help', () => {
    const view = describeReport('sbx_1', report({ suggestedAllow: ['a.example:443'] }));
    expect(view).toContain('No further rule is suggested.');
    expect(view).not.toContain('paste');
  });

  test('has apart from the list what would open what is closed in every mode', () => {
    const rebind = { ...denial, name: 'git.corp.example', address: '10.20.0.5', reason: 'rebind' } as const;
    const closed = { ...denial, name: null, address: '10.20.0.5', port: 5432, reason: 'private-range' } as const;
    const metadata = { ...closed, address: '169.254.169.254', port: 80 };
    const view = describeReport('sbx_1', report({ denied: [rebind, closed, metadata], suggestedAllow: [] }));
    const end = `
No further rule is suggested.

Closed in every mode; what of it is meant, these rules open:

git.corp.example:443 private  # rebind: git.corp.example (10.20.0.5)
10.20.0.5:5432                # private-range: 10.20.0.5
`;
    expect(view.slice(-end.length)).toBe(end);
    expect(describeReport('sbx_1', report({ denied: [metadata] }))).not.toContain('Closed in');
  });

  test('gives a terminal nothing but text, whatever a guest asked for', () => {
    const name = 'x\u001b]0;owned\u0007\n.example';
    const hostile = { ...denial, name };
    const view = describeReport('sbx_1', report({ denied: [hostile], allowed: [hostile], suggestedAllow: [name] }));
    expect(view.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(view.split('\n').filter((line) => line.includes('owned'))).toHaveLength(3);
  });
});

test('places have a name, an address or both', () => {
  expect(placeOf({ name: 'a.example', address: null })).toBe('a.example');
  expect(placeOf({ name: null, address: '192.0.2.1' })).toBe('192.0.2.1');
  expect(placeOf({ name: 'a.example', address: '10.0.0.1' })).toBe('a.example (10.0.0.1)');
  expect(placeOf({ name: null, address: null })).toBe('-');
});

test('ports name their transport where it is not TCP', () => {
  expect(portOf({ port: 443, transport: 'tcp' })).toBe('443');
  expect(portOf({ port: 53, transport: 'udp' })).toBe('53/udp');
  expect(portOf({ port: null, transport: 'icmp' })).toBe('icmp');
  expect(portOf({ port: null, transport: 'other' })).toBe('other');
  expect(portOf({ port: null, transport: 'udp' })).toBe('-');
});

describe('a policy in a description', () => {
  test.each([
    ['open', 'open'],
    ['none', 'none'],
    ['audit', 'audit'],
    ['enforce', 'enforce, no rules: nothing is allowed'],
  ] as const)('without rules, %s, is one row', (mode, text) => {
    expect(policyRows({ mode, allow: [] }, 'more')).toEqual([['egress', text]]);
  });

  test('shows the first rules, and the command that shows all', () => {
    const allow = Array.from({ length: 22 }, (_, index) => `host-${String(index)}.example:443`);
    const rows = policyRows({ mode: 'audit', allow }, 'offshoot sandbox firewall show sbx_1');
    expect(rows).toHaveLength(22);
    expect(rows.slice(0, 2)).toEqual([
      ['egress', 'audit, 22 rules'],
      ['', 'host-0.example:443'],
    ]);
    expect(rows.at(-1)).toEqual(['', 'and 2 more: offshoot sandbox firewall show sbx_1']);
  });
});
