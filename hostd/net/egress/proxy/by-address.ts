import type { Buffer } from 'node:buffer';
import type { NamelessReason } from './decision.ts';
import { dialledInstead } from './dialled-instead.ts';
import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';
import { reach } from './reach.ts';
import { tunnel } from './tunnel.ts';

/** Has a connection without a name go to the address that the guest dialled, with the bytes already taken from it. False when it may not: then nothing was done or recorded. */
export async function passByAddress(
  table: FlowTable,
  flow: Flow,
  nameless: NamelessReason,
  taken: Buffer,
): Promise<boolean> {
  const host = await dialledInstead(table, flow);
  if (host === undefined) return false;
  const { forPort: port, layer } = flow.spec;
  const reached = await reach(table, flow, { host, literal: true, port, layer, nameless });
  if (reached.kind === 'denied' || reached.kind === 'failed') flow.guest.resetAndDestroy();
  if (reached.kind !== 'connected') return true;
  if (taken.length > 0) reached.socket.write(taken);
  tunnel(flow.guest, reached.socket, table.limits.idleMs);
  return true;
}
