import { expect, it } from 'vitest';
import { egressReportSchema, type EgressPolicyInfo } from '../../contract/egress.ts';
import type { GateRow } from '../../net/egress/gate/gate.ts';
import type { CountedTraffic } from '../../net/egress/firewall/counted-traffic.ts';
import { filterCounts } from './filter-counts.ts';
import { gateCount } from './gate-counts.ts';
import { maxAddressesOfNetwork } from './passed-entries.ts';
import { egressReport, maxListed } from './report-document.ts';
import { filtered, gateRow, noPlaces, startMs } from './testing/reports-lab.ts';

const policy: EgressPolicyInfo = { mode: 'enforce', allow: ['good.example.com:443'], revision: 3 };

function reportOf(gate: Partial<GateRow>[], filter: CountedTraffic[] = [], inForce = policy) {
  const rows = gate.flatMap((row) => gateCount(gateRow(row)) ?? []);
  const look = { sandboxId: 'sbx_a', known: [], traffic: filter, nowMs: startMs };
  const filterRows = filterCounts({ ...look, reasonOf: () => 'address', nameOf: () => undefined, passed: noPlaces });
  return egressReportSchema.parse(egressReport(inForce, [...rows, ...filterRows]));
}

const good = { name: 'good.example.com', port: 443 };

it('has one entry for an allowed name and port, whatever its addresses, with its bytes', () => {
  const { allowed, denied, deniedCount } = reportOf([
    { ...good, address: '198.51.100.1', count: 2 },
    { ...good, address: '198.51.100.2', firstMs: startMs - 1000, lastMs: startMs + 1000 },
    { ...good, outcome: 'usage', count: 3, bytesIn: 5000, bytesOut: 70 },
    { helper: 'resolver', name: 'good.example.com', transport: 'udp', count: 2 },
    { helper: 'resolver', name: 'good.example.com', transport: 'proxy' },
    { helper: 'resolver', name: 'ssh.example.com', transport: 'udp' },
    { ...good, outcome: 'failed', failure: 'dial', count: 9 },
  ]);
  expect(allowed).toEqual([
    {
      ...good,
      address: null,
      transport: 'tcp',
      count: 3,
      bytesIn: 5000,
      bytesOut: 70,
      firstAt: new Date(startMs - 1000).toISOString(),
      lastAt: new Date(startMs + 1000).toISOString(),
    },
    expect.objectContaining({ name: 'ssh.example.com', port: null, transport: 'udp', count: 1 }),
  ]);
  expect(denied).toEqual([]);
  expect(deniedCount).toBe(0);
});

it('has what was denied by whomever, and what a change of policy cut, by reason', () => {
  const { denied, deniedCount, suggestedAllow } = reportOf(
    [
      {
        helper: 'resolver',
        outcome: 'denied',
        reason: 'dns-name',
        name: 'bad.example.com',
        transport: 'udp',
        count: 4,
      },
      { helper: 'resolver', outcome: 'denied', reason: 'dns-name', name: 'too.long.example.com', transport: 'proxy' },
      { outcome: 'denied', reason: 'sni', name: 'bad.example.com', port: 443, count: 2 },
      { outcome: 'cut', reason: 'sni', name: 'bad.example.com', port: 443, address: '198.51.100.9' },
      { outcome: 'denied', reason: 'rebind', name: 'good.example.com', port: 443, address: '10.0.0.1' },
      { outcome: 'denied', reason: 'no-name', port: 443 },
      { outcome: 'denied', reason: 'host-header', name: '198.51.100.3', port: 80 },
    ],
    [filtered({ address: '198.51.100.4', packets: 5 })],
  );
  expect(denied.map(({ reason, name, address, port, count }) => [reason, name, address, port, count])).toEqual([
    ['address', null, '198.51.100.4', 22, 5],
    ['dns-name', 'bad.example.com', null, null, 4],
    ['sni', 'bad.example.com', null, 443, 3],
    ['dns-name', 'too.long.example.com', null, null, 1],
    ['rebind', 'good.example.com', '10.0.0.1', 443, 1],
    ['no-name', null, null, 443, 1],
    ['host-header', null, '198.51.100.3', 80, 1],
  ]);
  expect(denied.every(({ blocked }) => blocked)).toBe(true);
  expect(deniedCount).toBe(16);
  expect(suggestedAllow).toEqual([
    'good.example.com:443',
    '198.51.100.3:80',
    '198.51.100.4:22',
    'bad.example.com:443',
    'too.long.example.com:443',
  ]);
});

it('has what audit let through as denials that were not blocked, with their bytes', () => {
  const { allowed, denied } = reportOf([
    { outcome: 'denied', reason: 'sni', name: 'new.example.com', port: 443 },
    { outcome: 'would-deny', reason: 'sni', name: 'new.example.com', port: 443, count: 2 },
    { outcome: 'usage', name: 'new.example.com', port: 443, count: 2, bytesIn: 900 },
  ]);
  expect(allowed).toEqual([]);
  expect(denied).toMatchObject([
    { name: 'new.example.com', blocked: false, count: 2, bytesIn: 900 },
    { name: 'new.example.com', blocked: true, count: 1, bytesIn: 0 },
  ]);
});

it('leaves what audit let through its bytes when a rule of later allows the place', () => {
  const place = { name: 'good.example.com', port: 443 };
  const address = { name: '198.51.100.3', port: 80 };
  const { allowed, denied } = reportOf([
    { ...place, outcome: 'would-deny', reason: 'sni', count: 2 },
    { ...place, outcome: 'usage', reason: 'sni', count: 2, bytesIn: 900, bytesOut: 30 },
    { ...place },
    { ...place, outcome: 'usage', bytesIn: 5, bytesOut: 1 },
    { outcome: 'would-deny', reason: 'host-header', name: '198.51.100.4', port: 80, count: 9 },
    { ...address, outcome: 'would-deny', reason: 'host-header' },
    { ...address, outcome: 'usage', reason: 'host-header', bytesIn: 70 },
  ]);
  expect(allowed).toMatchObject([{ ...place, count: 1, bytesIn: 5, bytesOut: 1 }]);
  expect(denied).toMatchObject([
    { address: '198.51.100.4', bytesIn: 0 },
    { ...place, reason: 'sni', blocked: false, count: 2, bytesIn: 900, bytesOut: 30 },
    { address: '198.51.100.3', reason: 'host-header', bytesIn: 70 },
  ]);
});

it('names a filter’s address where it was one name’s alone', () => {
  const answered = [
    { ...good, address: '198.51.100.1' },
    { name: 'one.example.com', port: 443, address: '198.51.100.2' },
    { name: 'two.example.com', port: 443, address: '198.51.100.2' },
  ];
  const { denied } = reportOf(answered, [
    filtered({ address: '198.51.100.1', port: 8443, packets: 2 }),
    filtered({ address: '198.51.100.2', port: 8443 }),
  ]);
  expect(denied).toMatchObject([
    { name: 'good.example.com', address: '198.51.100.1', port: 8443 },
    { name: null, address: '198.51.100.2', port: 8443 },
  ]);
});

it('is bounded, keeps what there is most of, and says how much it left out', () => {
  const many = Array.from({ length: maxListed + 20 }, (_, index) => ({
    outcome: 'denied' as const,
    reason: 'sni' as const,
    name: `n${String(index)}.example.com`,
    port: 443,
    count: index + 1,
  }));
  const { denied, deniedCount, omitted, suggestedAllow } = reportOf(many);
  expect(denied.length).toBe(maxListed);
  expect(denied[0]?.count).toBe(maxListed + 20);
  expect(omitted).toBe(20);
  expect(deniedCount).toBe(((maxListed + 20) * (maxListed + 21)) / 2);
  expect(suggestedAllow.length).toBe(maxListed + 1);
});

/** What the filter counts of one connection that a rule opened. */
function passed(changes: Partial<CountedTraffic>): CountedTraffic[] {
  return [
    filtered({ outcome: 'opened', packets: 1, ...changes }),
    filtered({ outcome: 'sent', packets: 4, bytes: 300, ...changes }),
    filtered({ outcome: 'received', packets: 5, bytes: 7000, ...changes }),
  ];
}

const told = (name: string, address: string): Partial<GateRow> => ({
  helper: 'resolver',
  outcome: 'answered',
  name,
  address,
  transport: 'udp',
});
const askedFor = (name: string): Partial<GateRow> => ({ helper: 'resolver', name, transport: 'udp' });

it('has what passed by name on other ports under that name, and what a rule by address opened under the address', () => {
  const allow = ['ssh.example.com:22', 'udp:ntp.example.com:123', '203.0.113.0/24:5432', 'udp:203.0.113.9:69'];
  const { allowed, denied, suggestedAllow } = reportOf(
    [
      askedFor('ssh.example.com'),
      told('ssh.example.com', '198.51.100.1'),
      told('ssh.example.com', '198.51.100.2'),
      told('ntp.example.com', '198.51.100.3'),
      // What else led there does not open the port.
      told('good.example.com', '198.51.100.3'),
      told('good.example.com', '203.0.113.7'),
    ],
    [
      ...passed({ address: '198.51.100.1' }),
      ...passed({ address: '198.51.100.2' }),
      ...passed({ address: '198.51.100.3', port: 123, protocol: 'udp' }),
      ...passed({ address: '203.0.113.7', port: 5432 }),
      ...passed({ address: '203.0.113.9', port: 69, protocol: 'udp' }),
    ],
    { ...policy, allow },
  );
  const rows = allowed.map(({ name, address, port, transport, count, bytesIn, bytesOut }) => {
    return [name, address, port, transport, count, bytesIn, bytesOut];
  });
  expect(rows).toEqual([
    ['ssh.example.com', null, 22, 'tcp', 2, 14_000, 600],
    ['ntp.example.com', '198.51.100.3', 123, 'udp', 1, 7000, 300],
    [null, '203.0.113.7', 5432, 'tcp', 1, 7000, 300],
    [null, '203.0.113.9', 69, 'udp', 1, 7000, 300],
  ]);
  expect(denied).toEqual([]);
  expect(suggestedAllow).toEqual(allow);
});

it('gives no name to an address that several allowed names led to', () => {
  const allow = ['one.example.com:22', 'two.example.com:22'];
  const answers = ['one.example.com', 'two.example.com'].map((name) => told(name, '198.51.100.1'));
  const { allowed } = reportOf(answers, passed({ address: '198.51.100.1' }), { ...policy, allow });
  expect(allowed).toMatchObject([{ name: null, address: '198.51.100.1', port: 22, bytesIn: 7000 }]);
});

it('puts many addresses of one rule and port together under its network', () => {
  const addresses = (count: number, port: number) =>
    Array.from({ length: count }, (_, index) => passed({ address: `203.0.113.${String(index)}`, port })).flat();
  const traffic = [...addresses(maxAddressesOfNetwork + 1, 22), ...addresses(maxAddressesOfNetwork, 23)];
  const { allowed } = reportOf([], traffic, { ...policy, allow: ['203.0.113.0/24:*'] });
  expect(allowed.length).toBe(1 + maxAddressesOfNetwork);
  expect(allowed[0]).toMatchObject({
    name: null,
    address: '203.0.113.0/24',
    port: 22,
    count: maxAddressesOfNetwork + 1,
    bytesIn: 7000 * (maxAddressesOfNetwork + 1),
  });
  expect(allowed.slice(1).every(({ address, port }) => port === 23 && address?.includes('/') === false)).toBe(true);
});

it('has what passed though its first packet was not seen, and never as bytes of a denial', () => {
  const [, sent, received] = passed({ address: '198.51.100.9' });
  const audited = filtered({ outcome: 'audited', address: '198.51.100.8', packets: 3, bytes: 180 });
  const { allowed, denied } = reportOf([], [audited, ...[sent, received].flatMap((row) => row ?? [])]);
  expect(allowed).toMatchObject([{ address: '198.51.100.9', port: 22, count: 1, bytesIn: 7000, bytesOut: 300 }]);
  expect(denied).toMatchObject([{ address: '198.51.100.8', blocked: false, bytesOut: 180 }]);
});

it('suggests, under audit alone, rules for what passed by rules of before', () => {
  const answers = [told('ssh.example.com', '198.51.100.1'), { ...good, address: '198.51.100.7' }];
  const traffic = [
    ...passed({ address: '198.51.100.1' }),
    ...passed({ address: '203.0.113.9', port: 69, protocol: 'udp' }),
    ...passed({ address: '10.0.0.1' }),
  ];
  const suggestedOf = (changes: Partial<EgressPolicyInfo>) =>
    reportOf(answers, traffic, { ...policy, ...changes }).suggestedAllow;
  const rules = ['good.example.com:443', 'ssh.example.com:22', 'udp:203.0.113.9:69'];
  expect(suggestedOf({ mode: 'audit', allow: [] })).toEqual(rules);
  expect(suggestedOf({ mode: 'enforce', allow: [] })).toEqual([]);
  const wide = ['*.example.com:443', '*.example.com:22', 'udp:203.0.113.0/24:*'];
  expect(suggestedOf({ mode: 'audit', allow: wide })).toEqual(wide);
});
