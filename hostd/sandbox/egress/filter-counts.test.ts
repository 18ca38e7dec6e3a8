import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../net/egress/policy/policy.ts';
import { parsePolicy } from '../../net/egress/policy/parse-rules.ts';
import type { CountedTraffic } from '../../net/egress/firewall/counted-traffic.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import type { PassedPlaces } from './passed-places.ts';
import { filterCounts, filterReason, maxFilterPlaces, maxPassedPlaces } from './filter-counts.ts';
import { filtered, noPlaces } from './testing/reports-lab.ts';

/** Looks one after the other, as they are kept. */
function looks(...traffic: CountedTraffic[][]): EgressCountRow[] {
  return looksOf(traffic, noPlaces);
}

function looksOf(traffic: readonly CountedTraffic[][], passed: PassedPlaces): EgressCountRow[] {
  const kept = new Map<string, EgressCountRow>();
  for (const [index, one] of traffic.entries()) {
    const rows = filterCounts({
      sandboxId: 'sbx_a',
      known: [...kept.values()],
      traffic: one,
      reasonOf: () => 'address',
      nameOf: () => undefined,
      passed,
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
    const answers = filtered({ outcome: 'audited-received', packets: 20, bytes: 9000 });
    const [, received] = looks(
      [...place(10, 1000), answers],
      [...place(12, 1100), { ...answers, packets: 21, bytes: 9050 }],
    );
    expect(received).toMatchObject({ outcome: 'would-deny', count: 0, bytesOut: 0, bytesIn: 9050 });
  });

  it('counts connections that rules opened, and the bytes of either direction, each as a total of its own', () => {
    const passed = (opened: number, sent: number, received: number) => [
      filtered({ outcome: 'opened', packets: opened, bytes: opened * 60 }),
      filtered({ outcome: 'sent', packets: 3, bytes: sent }),
      filtered({ outcome: 'received', packets: sent, bytes: received }),
    ];
    const rows = looks(passed(1, 300, 5000), passed(1, 300, 5000), passed(3, 700, 9000), [], passed(1, 60, 80));
    expect(rows).toMatchObject([
      { outcome: 'allowed', reason: null, address: '192.0.2.1', port: 22, count: 4, bytesIn: 0, bytesOut: 0 },
      { outcome: 'usage', reason: null, count: 1, bytesIn: 0, bytesOut: 360 },
      { outcome: 'usage', reason: null, count: 1, bytesIn: 9080, bytesOut: 0 },
    ]);
  });

  it('names what rules opened by what passed there, not by what was refused', () => {
    const places: PassedPlaces = {
      ...noPlaces,
      nameOf: ({ address }) => (address === '192.0.2.1' ? 'a.example' : undefined),
    };
    const [opened, denied] = looksOf([[filtered({ outcome: 'opened' }), filtered({})]], places);
    expect([opened?.name, denied?.name]).toEqual(['a.example', null]);
  });

  it('is bounded for what rules opened: further places share rows for each network of a rule', () => {
    const places: PassedPlaces = {
      ...noPlaces,
      networkOf: ({ port }) => (port === 22 ? { network: '192.0.0.0/16', port: 22 } : undefined),
    };
    const traffic = Array.from({ length: maxPassedPlaces + 30 }, (_, index) => {
      const address = `192.0.${String(index >> 8)}.${String(index & 255)}`;
      const port = index % 2 === 0 ? 22 : 23;
      return (['opened', 'sent', 'received'] as const).map((outcome) =>
        filtered({ outcome, address, port, packets: 2, bytes: 100 }),
      );
    }).flat();
    const denied = filtered({ address: '198.51.100.1' });
    const rows = looksOf(
      [
        [...traffic, denied],
        [...traffic, denied],
      ],
      places,
    );
    expect(rows.length).toBe(3 * maxPassedPlaces + 2 * 3 + 1);
    const shared = rows.filter(({ address }) => address === null || address.includes('/'));
    expect(shared.map(({ outcome, address, port, count }) => [outcome, address, port, count])).toEqual([
      ['allowed', '192.0.0.0/16', 22, 30],
      ['usage', '192.0.0.0/16', 22, 1],
      ['usage', '192.0.0.0/16', 22, 1],
      ['allowed', null, null, 30],
      ['usage', null, null, 1],
      ['usage', null, null, 1],
    ]);
    expect(shared.map(({ bytesOut, bytesIn }) => [bytesOut, bytesIn])).toEqual([
      [0, 0],
      [1500, 0],
      [0, 1500],
      [0, 0],
      [1500, 0],
      [0, 1500],
    ]);
    expect(rows.at(-1)).toMatchObject({ outcome: 'denied', address: '198.51.100.1' });
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
