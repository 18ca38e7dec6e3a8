import type { DenialReason } from '../../contract/egress.ts';
import type { CountedTraffic } from '../../net/egress/firewall/counted-traffic.ts';
import type { PolicyView } from '../../net/egress/policy/policy.ts';
import type { EgressCountRow } from '../../store/rows.ts';

/** Places of one sandbox that have rows of their own; further ones share a row for each outcome, reason and transport. */
export const maxFilterPlaces = 1000;

interface Looked {
  sandboxId: string;
  /** Rows of earlier looks. */
  known: readonly EgressCountRow[];
  traffic: readonly CountedTraffic[];
  reasonOf: (traffic: CountedTraffic) => DenialReason;
  nameOf: (address: string) => string | undefined;
  nowMs: number;
}

interface Reading {
  traffic: CountedTraffic;
  shared: boolean;
  reason: DenialReason;
  places: number;
  packets: number;
  bytes: number;
}

/**
 * The rows that a look at a packet filter changes. Its counters begin anew when a place was forgotten, the rows go on. A refused packet
 * counts as one denial; a place that audit let through counts once for each time that it was not forgotten, as its packets are no attempts.
 */
export function filterCounts({ sandboxId, known, traffic, reasonOf, nameOf, nowMs }: Looked): EgressCountRow[] {
  const before = new Map(known.map((row) => [row.key, row]));
  const readings = readingsOf(traffic, before, reasonOf);
  const changed = [...readings].flatMap(([key, reading]) => {
    const row = before.get(key) ?? emptyRow(sandboxId, key, reading, nowMs);
    if (reading.packets === row.seenPackets) return [];
    const name = row.name ?? (row.address === null ? null : (nameOf(row.address) ?? null));
    return [{ ...grown(row, reading, nowMs), name }];
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
  traffic: readonly CountedTraffic[],
  before: ReadonlyMap<string, EgressCountRow>,
  reasonOf: Looked['reasonOf'],
): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  let room = maxFilterPlaces - before.size;
  for (const place of traffic) {
    const own = JSON.stringify(['filter', place.outcome, place.protocol, place.address, place.port]);
    const isKnown = before.has(own);
    const shared = !isKnown && room <= 0;
    if (!isKnown && !shared) room -= 1;
    const reason = before.get(own)?.reason ?? reasonOf(place);
    const key = shared ? JSON.stringify(['filter', place.outcome, transportOf(place), reason]) : own;
    const sum = readings.get(key) ?? { traffic: place, shared, reason, places: 0, packets: 0, bytes: 0 };
    const packets = sum.packets + place.packets;
    readings.set(key, { ...sum, places: sum.places + 1, packets, bytes: sum.bytes + place.bytes });
  }
  return readings;
}

function emptyRow(sandboxId: string, key: string, reading: Reading, nowMs: number): EgressCountRow {
  const { traffic, shared, reason } = reading;
  return {
    sandboxId,
    key,
    source: 'filter',
    countedBy: 'filter',
    outcome: traffic.outcome === 'denied' ? 'denied' : 'would-deny',
    reason,
    name: null,
    address: shared ? null : traffic.address,
    port: shared ? null : (traffic.port ?? null),
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

function grown(row: EgressCountRow, reading: Reading, nowMs: number): EgressCountRow {
  const { traffic, shared, places, packets, bytes } = reading;
  // A shared row sums up places of which any may be forgotten: then it rather counts too few than one twice.
  const isAnew = !shared && packets < row.seenPackets;
  const more = (now: number, seen: number) => Math.max(0, isAnew ? now : now - seen);
  const isAudited = traffic.outcome === 'audited';
  const times = shared ? Math.max(0, places - row.count) : Number(isAnew || row.seenPackets === 0);
  return {
    ...row,
    count: row.count + (isAudited ? times : more(packets, row.seenPackets)),
    // Both directions: the filter counts them together. Nothing passed of what was refused.
    bytesOut: row.bytesOut + (isAudited ? more(bytes, row.seenBytes) : 0),
    lastMs: nowMs,
    seenPackets: packets,
    seenBytes: bytes,
  };
}

function transportOf({ protocol }: CountedTraffic): EgressCountRow['transport'] {
  if (protocol === 'tcp' || protocol === 'udp') return protocol;
  return protocol.includes('icmp') ? 'icmp' : 'other';
}
