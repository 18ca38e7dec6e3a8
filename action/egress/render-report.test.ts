import { expect, test } from 'vitest';
import { renderEgress } from './render-report.ts';
import { denial, entry, reportOf } from './testing/reports.ts';

test('what was denied, what was reached, and the list to paste', () => {
  const denied = [
    denial(),
    denial({ reason: 'address', name: null, address: '192.0.2.9', port: 53, transport: 'udp', count: 7 }),
  ];
  const suggestedAllow = ['ok.example.com:443', 'no.example.com:443', 'hub.example.com:8443 private'];
  const allowed = [entry({ name: 'small.example.com', bytesIn: 10, bytesOut: 0 }), entry()];
  expect(renderEgress({ report: reportOf({ denied, allowed, suggestedAllow }) })).toBe(`#### Egress: enforce, 8 denied

| reason | name | address | port | times | in effect |
| --- | --- | --- | --- | --- | --- |
| address |  | \`192.0.2.9\` | 53 udp | 7 | blocked |
| sni | \`no.example.com\` |  | 443 | 1 | blocked |

| name | address | port | connections | received | sent |
| --- | --- | --- | --- | --- | --- |
| \`ok.example.com\` | \`192.0.2.1\` | 443 | 2 | 1.2 MB | 890 B |
| \`small.example.com\` | \`192.0.2.1\` | 443 | 2 | 10 B | 0 B |

The rules in force and those that would let through what was denied. Read them before you paste them: the build chose the names.

\`\`\`yaml
egress: |
  ok.example.com:443
  no.example.com:443
  hub.example.com:8443 private
\`\`\`
`);
});

test('audit says what was let through, with bytes, and gives the list also where nothing was denied', () => {
  const policy = { mode: 'audit' as const, allow: [], revision: 1 };
  const denied = [
    denial({ blocked: false, bytesIn: 52_000, bytesOut: 120 }),
    denial({ reason: 'dns-name', port: null, transport: 'udp', blocked: false }),
  ];
  expect(renderEgress({ report: reportOf({ policy, denied, suggestedAllow: ['no.example.com:443'] }) }))
    .toBe(`#### Egress: audit, 2 that enforce would deny

| reason | name | address | port | times | in effect | received | sent |
| --- | --- | --- | --- | --- | --- | --- | --- |
| sni | \`no.example.com\` |  | 443 | 1 | let through | 52.0 kB | 120 B |
| dns-name | \`no.example.com\` |  |  | 1 | let through | 0 B | 0 B |

The rules in force and those that would let through what was denied. Read them before you paste them: the build chose the names.

\`\`\`yaml
egress: |
  no.example.com:443
\`\`\`
`);
  expect(renderEgress({ report: reportOf({ policy, suggestedAllow: ['a.example.com:443'] }) })).toContain('egress: |');
});

test('a name that was only asked for was not reached', () => {
  const policy = { mode: 'audit' as const, allow: [], revision: 1 };
  const asked = denial({ reason: 'dns-name', port: null, transport: 'udp', blocked: false });
  expect(renderEgress({ report: reportOf({ policy, denied: [asked] }) })).toContain('\n\nNothing was reached.\n');
});

test('a transport without ports stands in their place', () => {
  const ping = denial({ reason: 'protocol', name: null, address: '192.0.2.9', port: null, transport: 'icmp' });
  expect(renderEgress({ report: reportOf({ denied: [ping] }) })).toContain('| `192.0.2.9` | icmp | 1 | blocked |');
});

test('what passed past the proxy has its address, network and transport', () => {
  const past = { bytesIn: 3000, bytesOut: 900, port: 22 };
  const allowed = [
    entry({ ...past, name: 'ssh.example.com' }),
    entry({ ...past, name: null, address: '203.0.113.0/24', port: 5432 }),
    entry({ ...past, name: null, address: '192.0.2.9', port: 123, transport: 'udp' }),
  ];
  expect(renderEgress({ report: reportOf({ allowed }) })).toContain(`
| \`ssh.example.com\` | \`192.0.2.1\` | 22 | 2 | 3.0 kB | 900 B |
|  | \`203.0.113.0/24\` | 5432 | 2 | 3.0 kB | 900 B |
|  | \`192.0.2.9\` | 123 udp | 2 | 3.0 kB | 900 B |
`);
});

test('where all that was wanted is allowed there is no list', () => {
  const text = renderEgress({ report: reportOf({ allowed: [entry()], suggestedAllow: ['ok.example.com:443'] }) });
  expect(text).not.toContain('egress: |');
  expect(renderEgress({ report: reportOf() })).toBe('#### Egress: enforce, 0 denied\n\nNothing was reached.\n');
});

test('what is closed in every mode has a rule to decide about, apart from the list', () => {
  const rebind = denial({ reason: 'rebind', name: 'git.corp.example.com', address: '10.20.0.5' });
  const closed = denial({ reason: 'private-range', name: null, address: '10.20.0.5', port: 5432 });
  const metadata = denial({ reason: 'private-range', name: null, address: '169.254.169.254', port: 80 });
  const evil = denial({ reason: 'rebind', name: 'x`|.example.com', address: '10.20.0.5' });
  const text = renderEgress({ report: reportOf({ denied: [rebind, closed, metadata, evil] }) });
  expect(text).toMatch(/Closed in every mode/);
  expect(text.slice(text.indexOf('Closed')))
    .toBe(`Closed in every mode, so not in a list to paste. A rule opens it where it is meant:

| reason | name | address | rule |
| --- | --- | --- | --- |
| rebind | \`git.corp.example.com\` | \`10.20.0.5\` | \`git.corp.example.com:443 private\` |
| private-range |  | \`10.20.0.5\` | \`10.20.0.5:5432\` |
`);
  expect(renderEgress({ report: reportOf({ denied: [metadata, evil] }) })).not.toContain('Closed');
});

test('names that a guest chose are words in a table, and no rules', () => {
  const evil = 'x`|</td><img src=y>\n```\n::error::[a](b)\r@me';
  const report = reportOf({
    denied: [denial({ name: evil })],
    allowed: [entry({ name: evil })],
    suggestedAllow: [evil, '```', 'a.example.com:443\n```', 'a.example.com:443 <b>'],
  });
  const text = renderEgress({ report });
  expect(text).toContain('| `x???/td??img?src?y??????::error::[a]?b???me` |');
  expect(text.split('\n').filter((line) => !/^(\| .* \||#### [\w:, ]*|)$/.test(line))).toEqual([]);
  expect(text.match(/`/g)).toHaveLength(6); // those of the two names and of the one address
});

test('is bounded, however much there is, and says what it leaves out', () => {
  const named = (n: number) => `${`${'n'.repeat(60)}.`.repeat(3)}${'n'.repeat(50)}${String(n)}.example`;
  const name = (n: number) => `${'n'.repeat(240)}${String(n)}.example.com`;
  const many = Array.from({ length: 500 }, (_, n) => n);
  const text = renderEgress({
    report: reportOf({
      denied: [
        ...many.map((n) => denial({ name: name(n), address: 'f'.repeat(39), count: 2 })),
        ...many.map((n) => denial({ reason: 'rebind', name: named(n), address: '10.200.200.200' })),
      ],
      allowed: many.map((n) => entry({ name: name(n), address: 'f'.repeat(39) })),
      suggestedAllow: many.map((n) => `${name(n)}:443`),
      omitted: 3,
    }),
  });
  expect(text.length).toBeLessThan(50_000);
  expect(text).toContain('950 places more were denied.');
  expect(text).toContain('480 places more were closed.');
  expect(text).toContain('450 places more were reached.');
  expect(text).toMatch(/\n4\d\d more rules are in the report\.\n/);
  expect(text).toContain('The host has left out 3 places');
});

test('a report that is missing is one line', () => {
  expect(renderEgress({ missing: 'No hostd answers at unix:/x.sock: <b>`a`' })).toBe(
    'Egress: there is no report. No hostd answers at unix:/x.sock:  b  a \n',
  );
});
