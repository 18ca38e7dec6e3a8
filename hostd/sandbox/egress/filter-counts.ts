import type { DenialReason } from '../../contract/egress.ts';
import type { CountedTraffic } from '../../net/egress/firewall/counted-traffic.ts';
import type { PolicyView } from '../../net/egress/policy/policy.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import type { PassedPlace, PassedPlaces } from './passed-places.ts';

/** Places of one sandbox that have rows of their own, those that audit let through two; further ones share a row for each outcome, reason and transport. */
export const maxFilterPlaces = 1000;
/** The same for what rules let through; further places share rows for each network that a rule names. */
export const maxPassedPlaces = 500;
/** Of a place: its connections, and the bytes of either direction. */
const rowsOfPassedPlace = 3;

interface Looked {
  sandboxId: string;
  /** Rows of earlier looks. */
  known: readonly EgressCountRow[];
  traffic: readonly CountedTraffic[];
  /** Why the filter refuses it. */
  reasonOf: (traffic: CountedTraffic) => DenialReason;
  /** The name that led to what was refused. */
  nameOf: (address: string) => string | undefined;
  /** Of what a rule let through. */
  passed: PassedPlaces;
  nowMs: number;
}

type SharedPlace = Pick<EgressCountRow, 'address' | 'port'>;

interface Reading {
  traffic: CountedTraffic;
  /** Where the row stands for several places: what they have in common. */
  shared: SharedPlace | undefined;
  reason: DenialReason | null;
  places: number;
  packets: number;
  bytes: number;
}

/**
 * The rows that a look at a packet filter changes. Its counters begin anew when a place was forgotten, the rows go on. A refused packet
 * counts as one denial; a place that audit let through counts once for each time that it was not forgotten, as its packets are no attempts.
 */
export function filterCounts(looked: Looked): EgressCountRow[] {
  const { sandboxId, known, nowMs } = looked;
  const before = new Map(known.map((row) => [row.key, row]));
  const readings = readingsOf(looked, before);
  const changed = [...readings].flatMap(([key, reading]) => {
    const row = before.get(key) ?? emptyRow(sandboxId, key, reading, nowMs);
    if (reading.packets === row.seenPackets) return [];
    return [{ ...grown(row, reading, nowMs), name: row.name ?? nameFor(row, reading, looked) }];
  });
  const forgotten = known.filter(({ key, seenPackets }) => seenPackets > 0 && !readings.has(key));
  return [...changed, ...forgotten.map((row) => ({ ...row, seenPackets: 0, seenBytes: 0 }))];
}

/** Why the filter refuses this. It knows no names; `name` is the one that the address was answered for, if that is known. */
export function filterReason(
  view: PolicyView,
  { address, port, protocol }: Pick<CountedTraffic, 'address' | 'port' | 'protocol'>,
  name: string | undefined,
): DenialReason {
  if ((protocol !== 'tcp' && protocol !== 'udp') || port === undefined) {
    return view.mayUseAddress(undefined, address).allowed ? 'protocol' : 'private-range';
  }
  const verdict = view.mayReach({ address, port, transport: protocol });
  // The policy may be another one by now.
  const reason = verdict.allowed ? 'address' : verdict.reason;
  if (reason !== 'address' || name === undefined || !view.mayResolve(name).allowed) return reason;
  const isOpen = view.rawPorts(name).some((open) => open.transport !== protocol && open.port === port);
  return isOpen ? 'protocol' : 'port';
}

function readingsOf(
  { traffic, reasonOf, passed }: Looked,
  before: ReadonlyMap<string, EgressCountRow>,
): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  const passedRows = [...before.values()].filter(({ outcome }) => outcome === 'allowed' || outcome === 'usage').length;
  const room = {
    passed: maxPassedPlaces * rowsOfPassedPlace - passedRows,
    other: maxFilterPlaces - (before.size - passedRows),
  };
  for (const place of traffic) {
    const kind = isPassed(place) ? 'passed' : 'other';
    const own = JSON.stringify(['filter', place.outcome, place.protocol, place.address, place.port]);
    const known = before.get(own);
    const isOwn = known !== undefined || room[kind] > 0;
    if (known === undefined && isOwn) room[kind] -= 1;
    const reason = kind === 'passed' ? null : (known?.reason ?? reasonOf(place));
    const shared = isOwn ? undefined : sharedPlace(place, passed);
    const key = shared === undefined ? own : sharedKey(place, reason, shared);
    const sum = readings.get(key) ?? { traffic: place, shared, reason, places: 0, packets: 0, bytes: 0 };
    const packets = sum.packets + place.packets;
    readings.set(key, { ...sum, places: sum.places + 1, packets, bytes: sum.bytes + place.bytes });
  }
  return readings;
}

function sharedPlace(place: CountedTraffic, passed: PassedPlaces): SharedPlace {
  const rule = isPassed(place) ? passed.networkOf(passedPlace(place)) : undefined;
  return { address: rule?.network ?? null, port: rule?.port ?? null };
}

function sharedKey(place: CountedTraffic, reason: DenialReason | null, { address, port }: SharedPlace): string {
  const common = ['filter', place.outcome, transportOf(place)];
  return JSON.stringify(isPassed(place) ? [...common, address, port] : [...common, reason]);
}

function emptyRow(sandboxId: string, key: string, { traffic, shared, reason }: Reading, nowMs: number): EgressCountRow {
  return {
    sandboxId,
    key,
    source: 'filter',
    countedBy: 'filter',
    outcome: rowOutcomes[traffic.outcome],
    reason,
    name: null,
    address: shared === undefined ? traffic.address : shared.address,
    port: shared === undefined ? (traffic.port ?? null) : shared.port,
    transport: transportOf(traffic),
    count: 0,
    bytesIn: 0,
    bytesOut: 0,
    firstMs: nowMs,
    lastMs: nowMs,
    seenPackets: 0,
    seenBytes: 0,
  };
}

const rowOutcomes = {
  denied: 'denied',
  audited: 'would-deny',
  'audited-received': 'would-deny',
  opened: 'allowed',
  sent: 'usage',
  received: 'usage',
} as const satisfies Record<CountedTraffic['outcome'], EgressCountRow['outcome']>;

function grown(row: EgressCountRow, reading: Reading, nowMs: number): EgressCountRow {
  const { traffic, shared, places, packets, bytes } = reading;
  // A shared row sums up places of which any may be forgotten: then it rather counts too few than one twice.
  const isAnew = shared === undefined && packets < row.seenPackets;
  const more = (now: number, seen: number) => Math.max(0, isAnew ? now : now - seen);
  const morePackets = more(packets, row.seenPackets);
  const moreBytes = more(bytes, row.seenBytes);
  const times = shared === undefined ? Number(isAnew || row.seenPackets === 0) : Math.max(0, places - row.count);
  const added = {
    // Nothing passed of what was refused.
    denied: { count: morePackets, bytesOut: 0, bytesIn: 0 },
    audited: { count: times, bytesOut: moreBytes, bytesIn: 0 },
    'audited-received': { count: 0, bytesOut: 0, bytesIn: moreBytes },
    opened: { count: morePackets, bytesOut: 0, bytesIn: 0 },
    sent: { count: 1 - row.count, bytesOut: moreBytes, bytesIn: 0 },
    received: { count: 1 - row.count, bytesOut: 0, bytesIn: moreBytes },
  } satisfies Record<CountedTraffic['outcome'], Pick<EgressCountRow, 'count' | 'bytesOut' | 'bytesIn'>>;
  const { count, bytesOut, bytesIn } = added[traffic.outcome];
  return {
    ...row,
    count: row.count + count,
    bytesOut: row.bytesOut + bytesOut,
    bytesIn: row.bytesIn + bytesIn,
    lastMs: nowMs,
    seenPackets: packets,
    seenBytes: bytes,
  };
}

function nameFor(row: EgressCountRow, { traffic }: Reading, { nameOf, passed }: Looked): string | null {
  if (row.address === null) return null;
  return (isPassed(traffic) ? passed.nameOf(row) : nameOf(row.address)) ?? null;
}

function isPassed({ outcome }: CountedTraffic): boolean {
  return rowOutcomes[outcome] === 'allowed' || rowOutcomes[outcome] === 'usage';
}

function passedPlace(traffic: CountedTraffic): PassedPlace {
  return { address: traffic.address, port: traffic.port ?? null, transport: transportOf(traffic) };
}

function transportOf({ protocol }: CountedTraffic): EgressCountRow['transport'] {
  if (protocol === 'tcp' || protocol === 'udp') return protocol;
  return protocol.includes('icmp') ? 'icmp' : 'other';
}
