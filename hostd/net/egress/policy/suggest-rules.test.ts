import fc from 'fast-check';
import { expect, it } from 'vitest';
import { denialReasons } from '../../../contract/egress.ts';
import { parseRules } from './parse-rules.ts';
import { suggestRules } from './suggest-rules.ts';

type Denied = Parameters<typeof suggestRules>[1][number];
const denied = (entry: Partial<Denied>): Denied => ({
  reason: 'sni',
  name: null,
  address: null,
  port: null,
  transport: 'tcp',
  ...entry,
});

it('keeps the rules in force and adds each place once', () => {
  const inForce = parseRules('a.example').rules;
  expect(
    suggestRules(inForce, [
      denied({ name: 'z.example', port: 443 }),
      denied({ name: 'Z.example.', port: 443 }),
      denied({ reason: 'host-header', name: 'b.example', port: 80 }),
      denied({ reason: 'address', address: '192.0.2.1', port: 22 }),
      denied({ reason: 'address', address: '2001:db8::1', port: 22 }),
      denied({ reason: 'port', name: 'ntp.example', port: 123, transport: 'udp' }),
      denied({ name: 'a.example', port: 443 }),
    ]),
  ).toEqual([
    'a.example:443',
    '192.0.2.1:22',
    '[2001:db8::1]:22',
    'b.example:80',
    'udp:ntp.example:123',
    'z.example:443',
  ]);
});

it('takes a name that was only asked of DNS for HTTPS, unless a connection says more', () => {
  const asked = denied({ reason: 'dns-name', name: 'git.example', transport: 'udp' });
  expect(suggestRules([], [asked])).toEqual(['git.example:443']);
  expect(suggestRules([], [asked, denied({ reason: 'port', name: 'git.example', port: 22 })])).toEqual([
    'git.example:22',
  ]);
});

it('opens no private range and no metadata service', () => {
  expect(
    suggestRules(
      [],
      [
        denied({ reason: 'private-range', address: '10.0.0.1', port: 443 }),
        denied({ reason: 'rebind', name: 'x.example', address: '10.0.0.1', port: 443 }),
        denied({ reason: 'address', address: '169.254.169.254', port: 80 }),
        denied({ reason: 'protocol', address: '192.0.2.1', transport: 'icmp' }),
      ],
    ),
  ).toEqual([]);
});

it('opens no more than one place each, whatever a guest gives for the name of a server', () => {
  const wide = [
    '*.example.org',
    '*.org',
    '*',
    '10.0.0.0/8',
    '203.0.113.0/24',
    '0.0.0.0/0',
    '[2001:db8::]/32',
    '10.0.0.1',
  ];
  const asked = wide.map((name) => denied({ name, port: 443 }));
  const closed = ['10.0.0.1', '127.0.0.1', '192.168.1.1', 'fd00::1'].map((address) => denied({ address, port: 443 }));
  expect(suggestRules([], [...asked, ...closed])).toEqual([]);
  expect(suggestRules([], [denied({ name: '203.0.113.1', port: 443 })])).toEqual(['203.0.113.1:443']);
  const inForce = parseRules('*.example.org 10.0.0.0/8:22').rules;
  expect(suggestRules(inForce, asked)).toEqual(['*.example.org:443', '10.0.0.0/8:22']);
});

it('gives only what reads as rules, whatever a guest asks for', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('*', '*.example.org', 'a b', 'x#y', '1.2', 'a.example private'),
  );
  const entry = fc.record({
    reason: fc.constantFrom(...denialReasons),
    name: fc.option(name),
    address: fc.option(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())),
    port: fc.option(fc.integer({ min: 0, max: 65_535 })),
    transport: fc.constantFrom('tcp', 'udp', 'icmp', 'other'),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 10 }), (entries) => {
      const list = suggestRules([], entries);
      const { rules } = parseRules(list);
      expect(rules.map(({ text }) => text)).toEqual(list);
    }),
    { numRuns: 500 },
  );
});
