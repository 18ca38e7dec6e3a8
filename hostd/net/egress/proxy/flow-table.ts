import type { Socket } from 'node:net';
import type { DenialReason } from '../policy/policy.ts';
import { decideAddress, decideDestination } from './decision.ts';
import { Flow } from './flow.ts';
import type { ListenSpec, ProxyEntry, ProxyFailure, ProxyLimits, ProxyOptions, SandboxView } from './options.ts';
import { Usage } from './usage.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Every connection that is open, whose it is, and whether it still may be. */
export class FlowTable {
  readonly limits: ProxyLimits;
  readonly options: ProxyOptions;
  readonly usage: Usage;
  readonly waitingRoom: WaitingRoom;
  readonly #flows = new Map<string, Set<Flow>>();

  constructor(options: ProxyOptions, limits: ProxyLimits) {
    this.options = options;
    this.limits = limits;
    this.usage = new Usage(limits.usageRowsPerSandbox);
    this.waitingRoom = new WaitingRoom(limits.waitingBytesPerSandbox);
  }

  /** Takes a guest's connection in; undefined when it was reset: an unknown source, or one connection too many. */
  admit(guest: Socket, spec: ListenSpec): Flow | undefined {
    const source = plainAddress(guest.remoteAddress ?? '');
    const sandboxId = this.options.viewOf(source)?.sandboxId;
    if (sandboxId === undefined) {
      guest.on('error', () => undefined);
      guest.resetAndDestroy();
      return undefined;
    }
    const flow = new Flow(sandboxId, source, spec, guest);
    const flows = this.#flows.get(sandboxId) ?? new Set<Flow>();
    if (flows.size >= this.limits.connectionsPerSandbox) {
      this.failed(flow, 'limit');
      guest.resetAndDestroy();
      return undefined;
    }
    flows.add(flow);
    this.#flows.set(sandboxId, flows);
    guest.once('close', () => {
      flows.delete(flow);
      if (flows.size === 0 && this.#flows.get(sandboxId) === flows) this.#flows.delete(sandboxId);
    });
    return flow;
  }

  /** The policy of now; undefined when the flow's sandbox is gone or its address is another one's. */
  viewOf(flow: Flow): SandboxView['view'] | undefined {
    const now = this.options.viewOf(flow.source);
    return now?.sandboxId === flow.sandboxId ? now.view : undefined;
  }

  /** Resets what is no longer allowed, and says how many connections that were. */
  enforceAgain(): number {
    const noLonger = this.#all().filter((flow) => {
      const reason = this.objection(flow);
      if (reason !== undefined) this.#record(flow, { outcome: 'cut', reason });
      return reason !== undefined || this.viewOf(flow) === undefined;
    });
    for (const flow of noLonger) flow.cut();
    return noLonger.length;
  }

  /** Why the policy of now does not allow where the flow goes; undefined when it does, or the flow goes nowhere yet. */
  objection(flow: Flow): DenialReason | undefined {
    const view = this.viewOf(flow);
    if (view === undefined || flow.destination === undefined) return undefined;
    const named = decideDestination(view, flow.destination);
    if (!named.pass) return named.reason;
    if (flow.address === undefined) return undefined;
    const reached = decideAddress(view, flow.destination, flow.address);
    return reached.pass ? undefined : reached.reason;
  }

  forget(sandboxId: string): void {
    for (const flow of this.#flows.get(sandboxId) ?? []) flow.cut();
    this.usage.forget(sandboxId);
  }

  cutAll(): void {
    for (const flow of this.#all()) flow.cut();
  }

  passed(flow: Flow, wouldDeny: DenialReason | undefined): void {
    this.#record(flow, wouldDeny === undefined ? { outcome: 'allowed' } : { outcome: 'audited', reason: wouldDeny });
  }

  /** `seen`: what was refused, where it is not the flow's destination. */
  denied(flow: Flow, reason: DenialReason, seen?: { name?: string | undefined; address?: string | undefined }): void {
    this.#record(flow, { outcome: 'denied', reason, ...seen });
  }

  failed(flow: Flow, failure: ProxyFailure): void {
    this.#record(flow, { outcome: 'failed', failure });
  }

  #all(): Flow[] {
    return [...this.#flows.values()].flatMap((flows) => [...flows]);
  }

  #record(flow: Flow, entry: Pick<ProxyEntry, 'outcome' | 'reason' | 'failure' | 'name' | 'address'>): void {
    const { forPort: port, layer } = flow.spec;
    const { sandboxId, destination, address } = flow;
    this.options.record({ sandboxId, name: destination?.host, address, port, layer, transport: 'tcp', ...entry });
  }
}

/** An IPv4 client of a listener for both families has an address like `::ffff:10.0.0.1`. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
