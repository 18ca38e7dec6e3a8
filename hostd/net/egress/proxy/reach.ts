import type { Socket } from 'node:net';
import type { DenialReason } from '../policy/policy.ts';
import { decideAddress, decideDestination, type Destination } from './decision.ts';
import { dialFirst } from './dial-first.ts';
import { dialledInstead } from './dialled-instead.ts';
import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';
import type { ProxyFailure } from './options.ts';

/** `gone`: the guest left, or its connection was cut. */
export type Reached =
  | { kind: 'connected'; socket: Socket }
  | { kind: 'denied'; reason: DenialReason }
  | { kind: 'failed'; failure: ProxyFailure }
  | { kind: 'gone' };

/** Decides about a destination, and - unless `open` already leads there - resolves and dials it. Records what came of it. */
export async function reach(table: FlowTable, flow: Flow, destination: Destination, open?: Socket): Promise<Reached> {
  const view = table.viewOf(flow);
  if (view === undefined) return gone(flow);
  const connectedTo = flow.address;
  flow.heads(destination);
  const decision = decideDestination(view, destination);
  if (!decision.pass) return denied(table, flow, decision.reason);
  if (open !== undefined && connectedTo !== undefined) {
    flow.carry(open, connectedTo);
    const reason = table.objection(flow);
    if (reason !== undefined) return denied(table, flow, reason);
    table.passed(flow, decision.wouldDeny);
    return { kind: 'connected', socket: open };
  }
  const addresses = await resolve(table, flow, destination, decision.wouldDeny !== undefined);
  const viewNow = table.viewOf(flow);
  if (flow.ended.aborted || viewNow === undefined) return gone(flow);
  if (addresses.length === 0) return failed(table, flow, 'resolve');
  const decisions = addresses.map((address) => decideAddress(viewNow, destination, address));
  const usable = addresses.filter((_, index) => decisions[index]?.pass);
  const refused = decisions.find((one) => !one.pass);
  if (usable.length === 0 && refused?.pass === false) return denied(table, flow, refused.reason, addresses[0]);
  const dialled = await dialFirst(table.options.dial, usable, destination.port, table.limits, flow.ended);
  if (flow.ended.aborted || table.viewOf(flow) === undefined) {
    dialled?.socket.destroy();
    return gone(flow);
  }
  if (dialled === undefined) return failed(table, flow, 'dial');
  flow.carry(dialled.socket, dialled.address);
  // The policy may be another one than when the name was decided.
  const reason = table.objection(flow);
  if (reason !== undefined) {
    dialled.socket.destroy();
    return denied(table, flow, reason);
  }
  const { host: name, port } = destination;
  table.usage.add({ sandboxId: flow.sandboxId, name, port, wouldDeny: decision.wouldDeny }, dialled.socket);
  table.passed(flow, decision.wouldDeny);
  return { kind: 'connected', socket: dialled.socket };
}

/** What is only audited may have a name that none but the guest knows: it goes where the guest dialled. */
async function resolve(
  table: FlowTable,
  flow: Flow,
  { host, literal }: Destination,
  onlyAudited: boolean,
): Promise<readonly string[]> {
  if (literal) return [host];
  const addresses = await table.options.resolve(flow.sandboxId, host).catch(() => []);
  if (addresses.length > 0 || !onlyAudited) return addresses;
  const dialled = await dialledInstead(table, flow);
  return dialled === undefined ? [] : [dialled];
}

/** Its sandbox may be what is gone: then the connection must not stay. */
function gone(flow: Flow): Reached {
  flow.cut();
  return { kind: 'gone' };
}

function denied(table: FlowTable, flow: Flow, reason: DenialReason, address?: string): Reached {
  table.denied(flow, reason, address === undefined ? undefined : { address });
  return { kind: 'denied', reason };
}

function failed(table: FlowTable, flow: Flow, failure: ProxyFailure): Reached {
  table.failed(flow, failure);
  return { kind: 'failed', failure };
}
