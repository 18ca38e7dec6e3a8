import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatAddress, networkContains, parseAddress, parseNetwork, type Network } from './address.ts';
import { parsePolicy } from './parse-rules.ts';
import { compilePolicy } from './policy.ts';
import { closedNetworks, reachableNetworks, type ReachableNetwork } from './reachable-networks.ts';

const host = { own: ['10.83.0.0/16', '10.83.0.1', '198.51.100.7', '2001:db8:5::7'] };
const networks = (allow: string) =>
  reachableNetworks(parsePolicy('enforce', allow), host).map(({ network }) => network);

it('are the rules as they are, but for closed ranges that they do not name', () => {
  expect(networks('192.0.2.0/24:22 10.0.0.0/24:22 10.83.1.0/24:22 169.254.169.254/32:80')).toEqual([
    '192.0.2.0/24',
    '10.0.0.0/24',
    '169.254.169.254/32',
  ]);
  expect(networks('198.51.100.4/30:22')).toEqual(['198.51.100.4/31', '198.51.100.6/32']);
  expect(networks('169.254.169.252/30:80')).toEqual(['169.254.169.252/31', '169.254.169.255/32']);
});

it('are addresses of the host, each named by itself, but none of sandboxes', () => {
  expect(networks('198.51.100.7:22 10.83.0.1:22 10.83.0.2:22 10.83.0.0/31:22 10.83.0.0/16:22 10.83.0.0/15:22')).toEqual(
    ['198.51.100.7/32', '10.83.0.1/32', '10.82.0.0/16'],
  );
});

it('are not IPv6 networks whose addresses stand for IPv4 addresses', () => {
  expect(networks('[2002::]/15:22')).toEqual(['2003::/16']);
});

it('keep port and transport, and there are none of name rules and in mode none', () => {
  expect(reachableNetworks(parsePolicy('audit', 'a.example udp:192.0.2.1:123 [2600::]/32:*'), host)).toEqual([
    { family: 4, network: '192.0.2.1/32', port: 123, transport: 'udp' },
    { family: 6, network: '2600::/32', port: 'any', transport: 'tcp' },
  ]);
  expect(reachableNetworks(parsePolicy('none', '192.0.2.1:22'), host)).toEqual([]);
});

type Parsed = ReachableNetwork & { parsed: Network | undefined };

function holds(list: readonly Parsed[], address: string, port: number, transport: 'tcp' | 'udp'): boolean {
  const single = parseNetwork(address);
  return list.some(({ parsed, ...entry }) => {
    if (entry.transport !== transport || (entry.port !== 'any' && entry.port !== port)) return false;
    return single !== undefined && parsed !== undefined && networkContains(parsed, single);
  });
}

it('hold exactly what mayReach allows', () => {
  const octet = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 83, 169, 254, 192, 168, 198, 51, 100, 7, 172, 16));
  const v4 = fc.oneof(
    fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.')),
    fc.constantFrom('10.83.0.1', '10.83.0.2', '198.51.100.7'),
  );
  const group = fc.oneof(
    fc.constantFrom('0', '1', '2001', '2002', 'db8', '5', '7', 'fd00', 'fc00', 'fe80', 'ffff', '64', 'ff9b', '2600'),
    fc.nat(0xffff).map((value) => value.toString(16)),
  );
  const v6 = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => formatAddress(parseAddress(groups.join(':')) ?? { family: 6, value: 0n }));
  const rule = fc.oneof(
    fc.record({
      address: v4,
      length: fc.oneof(fc.nat(32), fc.constant(32)),
      port: fc.constantFrom(22, 443, 'any' as const),
    }),
    fc.record({ address: v6, length: fc.nat(128), port: fc.constantFrom(22, 443, 'any' as const) }),
  );
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 5 }),
      fc.array(fc.oneof(v4, v6), { minLength: 5, maxLength: 10 }),
      (given, others) => {
        const rules = given.flatMap(({ address, length, port }) => {
          const network = parseNetwork(`${address}/${String(length)}`);
          if (network === undefined) return [];
          const { family, base, prefixLength } = network;
          const start = formatAddress({ family, value: base });
          return [
            { kind: 'address', family, network: start, prefixLength, port, transport: 'tcp', text: 'x' } as const,
          ];
        });
        const policy = { mode: 'enforce', rules } as const;
        const view = compilePolicy(policy, host);
        const list = reachableNetworks(policy, host).map((entry) => ({
          ...entry,
          parsed: parseNetwork(entry.network),
        }));
        for (const address of [...given.map((entry) => entry.address), ...others]) {
          if (/^(2002:|2001:0?:|2001::|::ffff:|64:ff9b:)/.test(address)) continue; // stand for IPv4 addresses
          for (const [port, transport] of [
            [22, 'tcp'],
            [80, 'tcp'],
            [22, 'udp'],
          ] as const) {
            expect(holds(list, address, port, transport)).toBe(view.mayReach({ address, port, transport }).allowed);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

it('closed networks are given once, in order, none within another, with those of the host', () => {
  const list = closedNetworks(4, host);
  expect(list).toContain('198.51.100.7/32');
  expect(list).toContain('168.63.129.16/32');
  expect(list).toContain('10.0.0.0/8');
  expect(list).not.toContain('10.83.0.0/16');
  expect(list).not.toContain('169.254.169.254/32');
  expect(new Set(list).size).toBe(list.length);
  const parsed = [...list, ...closedNetworks(6, host)].flatMap((text) => parseNetwork(text) ?? []);
  for (const network of parsed) expect(parsed.filter((other) => networkContains(other, network))).toEqual([network]);
  expect(
    closedNetworks(4, { own: ['192.0.2.1', '192.0.2.1/32'] }).filter((text) => text === '192.0.2.1/32'),
  ).toHaveLength(1);
});
