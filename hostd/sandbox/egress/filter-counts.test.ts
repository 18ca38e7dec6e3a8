import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../net/egress/policy/policy.ts';
import { parsePolicy } from '../../net/egress/policy/parse-rules.ts';
import type { CountedTraffic } from '../../net/egress/firewall/counted-traffic.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import { filterCounts, filterReason, maxFilterPlaces } from './filter-counts.ts';
import { filtered } from './testing/reports-lab.ts';

/** Looks one after the other, as they are kept. */
function looks(...traffic: CountedTraffic[][]): EgressCountRow[] {
  const kept = new Map<string, EgressCountRow>();
  for (const [index, one] of traffic.entries()) {
    const rows = filterCounts({
      sandboxId: 'sbx_a',
      known: [...kept.values()],
      traffic: one,
      reasonOf: () => 'address',
      nameOf: () => undefined,
      nowMs: index,
    });
    for (const row of rows) kept.set(row.key, row);
  }
  return [...kept.values()];
}

describe('what the filter counted', () => {
  it('is a total that goes on when the filter forgot a place, and never shrinks', () => {
    const place = (packets: number) => [filtered({ packets })];
    expect(looks(place(3), place(3), place(5))).toMatchObject([{ outcome: 'denied', count: 5, firstMs: 0, lastMs: 2 }]);
    expect(looks(place(5), place(2))).toMatchObject([{ count: 7 }]);
    expect(looks(place(5), [], place(9))).toMatchObject([{ count: 14 }]);
    expect(looks(place(5), [], [], [])).toMatchObject([{ count: 5, lastMs: 0 }]);
  });

  it('counts what audit let through once for each time, with bytes', () => {
    const place = (packets: number, bytes: number) => [filtered({ outcome: 'audited', packets, bytes })];
    const [row] = looks(place(10, 1000), place(25, 3000), [], place(1, 60));
    expect(row).toMatchObject({ outcome: 'would-deny', count: 2, bytesOut: 3060, bytesIn: 0 });
  });

  it('tells places, protocols and outcomes apart', () => {
    const { port: _port, ...portless } = filtered({ protocol: 'icmp' });
    const rows = looks([
      filtered({}),
      filtered({ port: 23 }),
      filtered({ protocol: 'udp' }),
      filtered({ outcome: 'audited' }),
      portless,
      { ...portless, protocol: 'gre' },
    ]);
    expect(rows.map(({ transport, port }) => [transport, port])).toEqual([
      ['tcp', 22],
      ['tcp', 23],
      ['udp', 22],
      ['tcp', 22],
      ['icmp', null],
      ['other', null],
    ]);
  });

  it('is bounded: further places share a row, and do not count twice', () => {
    const places = Array.from({ length: maxFilterPlaces + 50 }, (_, index) => {
      return filtered({ address: `192.0.${String(index >> 8)}.${String(index & 255)}`, packets: 2 });
    });
    const fewer = places.slice(1, -10);
    const rows = looks(places, places, fewer);
    expect(rows.length).toBe(maxFilterPlaces + 1);
    expect(rows.at(-1)).toMatchObject({ address: null, port: null, transport: 'tcp', count: 100 });
    expect(rows[0]).toMatchObject({ address: '192.0.0.0', count: 2 });
    const again = looks(places, fewer, places);
    expect(again.at(-1)?.count).toBe(120);
    expect(again[0]).toMatchObject({ address: '192.0.0.0', count: 4 });
  });
});

it('says that a port or a protocol was refused where a rule names what the guest knows the address by', () => {
  const policy = parsePolicy('enforce', ['a.example.com:22', 'b.example.com:443']);
  const view = compilePolicy(policy, { own: [] });
  const reasonsOf = (name: string) =>
    [filtered({ port: 2222 }), filtered({ port: 22, protocol: 'udp' })].map((traffic) =>
      filterReason(view, traffic, name),
    );
  expect(reasonsOf('a.example.com')).toEqual(['port', 'protocol']);
  expect(reasonsOf('b.example.com')).toEqual(['port', 'port']);
  expect(reasonsOf('c.example.com')).toEqual(['address', 'address']);
});

it('says why the filter refused, by addresses alone', () => {
  const policy = parsePolicy('enforce', ['198.51.100.0/24:443', 'a.example.com:22']);
  const view = compilePolicy(policy, { own: ['203.0.113.9'] });
  const { port: _port, ...portless } = filtered({ protocol: 'icmp' });
  const reasons = [
    filtered({}),
    filtered({ address: '198.51.100.7', port: 80 }),
    filtered({ address: '198.51.100.7', port: 443, protocol: 'udp' }),
    filtered({ address: '10.1.2.3' }),
    filtered({ address: '169.254.169.254', port: 80 }),
    filtered({ address: '203.0.113.9' }),
    { ...portless, address: '192.0.2.1' },
    { ...portless, address: '10.1.2.3' },
    filtered({ address: '198.51.100.7', port: 443 }),
  ].map((traffic) => filterReason(view, traffic, undefined));
  expect(reasons).toEqual([
    'address',
    'port',
    'protocol',
    'private-range',
    'private-range',
    'private-range',
    'protocol',
    'private-range',
    'address',
  ]);
});
