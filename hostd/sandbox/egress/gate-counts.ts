import { isIP } from 'node:net';
import type { GateCursor, GateRow } from '../../net/egress/gate/gate.ts';
import type { EgressCountRow, EgressCursorRow } from '../../store/rows.ts';

/**
 * The row to keep. None for a name that the proxy was told on a guest's behalf: the proxy's own row tells of it. One that the resolver would
 * not ask for - too long or too many under a wildcard - is to the proxy one that it could not reach.
 */
export function gateCount(row: GateRow): EgressCountRow | undefined {
  const { helper, epoch, sandboxId, outcome, reason, failure, port, transport, count, bytesIn, bytesOut } = row;
  if (transport === 'proxy' && outcome !== 'denied') return undefined;
  const { firstMs, lastMs } = row;
  const { name, address } = placeOf(row);
  return {
    sandboxId,
    key: JSON.stringify([helper, outcome, reason, failure, name, address, port, transport]),
    // A helper that was told to forget a sandbox counts it from the start again: then the row began at another time.
    source: [helper, epoch, String(firstMs)].join(' '),
    countedBy: helper,
    outcome,
    reason: reason ?? null,
    name,
    address,
    port: port ?? null,
    transport: transport === 'proxy' ? 'tcp' : transport,
    count,
    bytesIn,
    bytesOut,
    firstMs,
    lastMs,
    seenPackets: 0,
    seenBytes: 0,
  };
}

export function gateCursor(rows: readonly EgressCursorRow[]): GateCursor {
  return Object.fromEntries(rows.map(({ helper, epoch, seq }) => [helper, { epoch, seq }]));
}

export function cursorRows({ resolver, proxy }: GateCursor): EgressCursorRow[] {
  return [
    ...(resolver === undefined ? [] : [{ helper: 'resolver' as const, ...resolver }]),
    ...(proxy === undefined ? [] : [{ helper: 'proxy' as const, ...proxy }]),
  ];
}

/** A request may name an address where others have a name. */
function placeOf({ name, address }: GateRow): Pick<EgressCountRow, 'name' | 'address'> {
  const literal = name?.replace(/^\[(.*)\]$/, '$1') ?? '';
  if (isIP(literal) !== 0) return { name: null, address: address ?? literal };
  return { name: name?.replace(/(?<=.)\.$/, '') ?? null, address: address ?? null };
}
