import { OffshootError } from '../../../errors/offshoot-error.ts';
import type { PinDocument } from '../dns/pin-document.ts';
import type { Gate, GateCursor, GateReport, GateRow } from './gate.ts';
import {
  protocolVersion,
  type HelperHealth,
  type HelperRole,
  type ProxyListenerSpec,
  type SandboxPolicy,
} from './messages.ts';

const noPins: PinDocument = { version: 1, pins: [] };

/** A gate without helpers: remembers what it was told. */
export class FakeGate implements Gate {
  readonly policies = new Map<string, SandboxPolicy>();
  readonly pins = new Map<string, PinDocument>();
  /** Given by the next report, each once. */
  readonly rows: GateRow[] = [];
  listeners: ProxyListenerSpec[] = [];
  own: readonly string[] = [];
  stopped: 'kept' | 'ended' | undefined;
  /** Every change is refused. */
  failing = false;
  #nextPort = 40_000;

  async setPolicy(sandbox: SandboxPolicy): Promise<{ cut: number }> {
    await this.#works();
    const before = this.policies.get(sandbox.sandboxId);
    if (before !== undefined && before.revision > sandbox.revision) throw new OffshootError('network-setup-failed');
    this.policies.set(sandbox.sandboxId, sandbox);
    return { cut: 0 };
  }

  async remove(sandboxId: string): Promise<void> {
    await this.#works();
    this.policies.delete(sandboxId);
    this.pins.delete(sandboxId);
  }

  async pinsOf(sandboxId: string): Promise<PinDocument> {
    await this.#works();
    return this.pins.get(sandboxId) ?? noPins;
  }

  async restorePins(sandboxId: string, document: PinDocument): Promise<void> {
    await this.#works();
    if (!this.policies.has(sandboxId)) throw new OffshootError('network-setup-failed');
    this.pins.set(sandboxId, document);
  }

  async rewritePins(sandboxId: string): Promise<void> {
    await this.#works();
    if (!this.policies.has(sandboxId)) throw new OffshootError('network-setup-failed');
  }

  async listen(listeners: readonly ProxyListenerSpec[]): Promise<ProxyListenerSpec[]> {
    await this.#works();
    const portOf = ({ port, forPort }: ProxyListenerSpec): number =>
      port === 0 ? (this.listeners.find((one) => one.forPort === forPort)?.port ?? (this.#nextPort += 1)) : port;
    this.listeners = listeners.map((spec) => ({ ...spec, port: portOf(spec) }));
    return this.listeners;
  }

  async setOwnAddresses(own: readonly string[]): Promise<void> {
    await this.#works();
    this.own = own;
  }

  async report(_since?: GateCursor): Promise<GateReport> {
    await this.#works();
    return { cursor: {}, rows: this.rows.splice(0), more: false };
  }

  async health(): Promise<Record<HelperRole, HelperHealth>> {
    await this.#works();
    const of = (role: HelperRole): HelperHealth => ({
      role,
      protocolVersion,
      pid: 1,
      startTicks: 0,
      epoch: 'fake',
      sandboxes: this.policies.size,
      listeners: role === 'proxy' ? this.listeners.length : 1,
      reportRows: this.rows.length,
      rssMiB: 0,
    });
    return { resolver: of('resolver'), proxy: of('proxy') };
  }

  async keepInPlace(): Promise<void> {
    await this.#works();
  }

  async stop(keep: boolean): Promise<void> {
    await Promise.resolve();
    this.stopped = keep ? 'kept' : 'ended';
  }

  async #works(): Promise<void> {
    await Promise.resolve();
    if (this.failing) throw new OffshootError('network-setup-failed', { message: 'The fake gate was told to fail.' });
  }
}
