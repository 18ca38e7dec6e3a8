import { expect, test } from 'vitest';
import type { EgressDenial } from '../../contract/egress.ts';
import { closedRanges } from '../../net/egress/policy/closed-ranges.ts';
import { formatAddress } from '../../net/egress/policy/address.ts';
import { compilePolicy } from '../../net/egress/policy/policy.ts';
import { parsePolicy } from '../../net/egress/policy/parse-rules.ts';
import { openingRules, rulesThatOpen } from './opening-rules.ts';

const at = '2030-01-01T00:00:00.000Z';
const entry = { name: null, address: null, port: 443, transport: 'tcp', count: 1, bytesIn: 0, bytesOut: 0 } as const;
const closed: EgressDenial = { ...entry, firstAt: at, lastAt: at, reason: 'private-range', blocked: true };
const rebind: EgressDenial = { ...closed, reason: 'rebind', name: 'git.corp.example.com', address: '10.20.0.5' };
const asked = { ...rebind, port: null, transport: 'udp' } as const;

const viewOf = (...allow: string[]) => compilePolicy(parsePolicy('enforce', allow), { own: ['10.83.0.1'] });

test('a name that led to a private address: its rule with the word private', () => {
  expect(rulesThatOpen(rebind, [])).toEqual(['git.corp.example.com:443 private']);
  expect(rulesThatOpen(asked, [])).toEqual(['git.corp.example.com:443 private']);
  expect(rulesThatOpen({ ...asked, address: null }, [])).toEqual(['git.corp.example.com:443 private']);
});

test('and where rules name it already, with their ports', () => {
  const allow = ['git.corp.example.com:22', 'tls:*.corp.example.com:5000', 'other.example.com:80'];
  const rules = ['git.corp.example.com:22 private', 'tls:git.corp.example.com:5000 private'];
  expect(rulesThatOpen(asked, allow)).toEqual(rules);
  expect(rulesThatOpen({ ...rebind, port: 5000 }, allow)).toEqual(rules.slice(1));
  expect(rulesThatOpen(rebind, allow)).toEqual(['git.corp.example.com:443 private']);
  expect(viewOf(...allow).mayUseAddress('git.corp.example.com', '10.20.0.5', 22).allowed).toBe(false);
  expect(viewOf(...allow, ...rules).mayUseAddress('git.corp.example.com', '10.20.0.5', 22).allowed).toBe(true);
});

test('where the word is there already, the address is the host’s own: a rule by address', () => {
  const denial = { ...rebind, address: '10.83.0.1' };
  const allow = ['*.corp.example.com:443 private'];
  expect(rulesThatOpen(denial, allow)).toEqual(['10.83.0.1:443']);
  expect(rulesThatOpen({ ...denial, port: null }, allow)).toEqual(['10.83.0.1:443']);
  expect(viewOf(...allow).mayUseAddress('git.corp.example.com', '10.83.0.1', 443).allowed).toBe(false);
  expect(viewOf(...allow, '10.83.0.1:443').mayUseAddress('git.corp.example.com', '10.83.0.1', 443).allowed).toBe(true);
});

test('a closed address: a rule by address with port', () => {
  const tcp = { ...closed, address: '10.20.0.5', port: 5432 };
  expect(rulesThatOpen(tcp, [])).toEqual(['10.20.0.5:5432']);
  expect(rulesThatOpen({ ...tcp, transport: 'udp' }, [])).toEqual(['udp:10.20.0.5:5432']);
  expect(viewOf('10.20.0.5:5432').mayReach({ address: '10.20.0.5', port: 5432, transport: 'tcp' }).allowed).toBe(true);
  expect(rulesThatOpen({ ...tcp, port: 53 }, [])).toEqual([]);
  expect(rulesThatOpen({ ...tcp, port: null, transport: 'icmp' }, [])).toEqual([]);
});

test('nothing for metadata services, loopback, link-local and what no rule can name', () => {
  const kinds = new Set(['metadata', 'loopback', 'link-local', 'multicast']);
  const ranges = closedRanges.filter(({ kind }) => kinds.has(kind));
  expect(ranges.length).toBeGreaterThan(10);
  for (const { network } of ranges) {
    const address = formatAddress({ family: network.family, value: network.base });
    expect([address, rulesThatOpen({ ...closed, address }, []), rulesThatOpen({ ...rebind, address }, [])]).toEqual([
      address,
      [],
      [],
    ]);
  }
  expect(rulesThatOpen({ ...closed, address: '0.0.0.0' }, [])).toEqual([]);
  expect(rulesThatOpen({ ...rebind, address: '198.18.0.1' }, [])).toEqual([]);
});

test('nothing for another reason, and for what is no name that a rule can have', () => {
  expect(rulesThatOpen({ ...rebind, reason: 'sni' }, [])).toEqual([]);
  for (const name of ['a b.example.com', '*.example.com', 'a..example.com', '1.2.3', 'x#.example.com', '\n.example']) {
    expect(rulesThatOpen({ ...rebind, name }, [])).toEqual([]);
  }
});

test('of a report each rule once, with the first denial it would open', () => {
  const policy = { mode: 'audit', allow: [], revision: 1 } as const;
  const other = { ...closed, address: '192.168.1.1', port: 22 };
  expect(openingRules({ policy: { ...policy, allow: [] }, denied: [asked, rebind, other] })).toEqual([
    { rule: 'git.corp.example.com:443 private', denial: asked },
    { rule: '192.168.1.1:22', denial: other },
  ]);
});
