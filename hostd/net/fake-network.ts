import { OffshootError } from '../errors/offshoot-error.ts';
import type { PinDocument } from './egress/dns/pin-document.ts';
import type { CountedTraffic } from './egress/firewall/counted-traffic.ts';
import type { GateReport, GateRow } from './egress/gate/gate.ts';
import type { HelperEvent } from './egress/gate/helper-keeper.ts';
import type { GuestLink, LivingSlot, Network, NetworkSlot, SlotEgress } from './network.ts';

export type FakeNetworkOperation = 'start' | 'create' | 'set' | 'remove' | 'existing' | 'stop';

export interface FakeSlot {
  uid: number;
  egress: SlotEgress;
  /** Left by a create that failed half way. */
  halfMade: boolean;
}

interface Fault {
  operation: FakeNetworkOperation;
  slot: number | undefined;
  error: Error;
  /** Only for create: the slot stays, half made. */
  leavesHalf: boolean;
}

interface Hold {
  operation: FakeNetworkOperation;
  released: Promise<void>;
}

/** A network without kernel parts that remembers what was asked of it. Tests make it fail or wait at any operation. */
export class FakeNetwork implements Network {
  readonly link: GuestLink = {
    address: '10.83.255.254',
    prefixLength: 30,
    gateway: '10.83.255.253',
    guestMac: '02:6f:66:66:00:02',
    mtu: 1500,
  };
  readonly capacity: number;
  readonly findings: string[] = [];
  /** What exists now. Plant leftovers of an earlier hostd by setting entries. */
  readonly slots = new Map<number, FakeSlot>();
  /** Every call in order, for example `create 3`. */
  readonly calls: string[] = [];
  readonly pins = new Map<string, PinDocument>();
  /** Given by `countedByGate`, whole each time, as after a restart. */
  gateRows: GateRow[] = [];
  /** Given by `countedByFilter`. */
  readonly filterRows = new Map<number, CountedTraffic[]>();
  /** What `start` was told. */
  living: readonly LivingSlot[] = [];
  onHelperEvent: (event: HelperEvent) => void = () => undefined;
  started = false;
  #faults: Fault[] = [];
  #holds: Hold[] = [];

  constructor(capacity = 1000) {
    this.capacity = capacity;
  }

  /** The next such operation (of this slot, if given) throws; a failed create may leave a half-made slot, as a real one can. */
  failNext(
    operation: FakeNetworkOperation,
    options: { slot?: number; error?: Error; leavesHalf?: boolean } = {},
  ): void {
    const error = options.error ?? new OffshootError('network-setup-failed', { message: `fake: ${operation} fails` });
    this.#faults.push({ operation, slot: options.slot, error, leavesHalf: options.leavesHalf ?? false });
  }

  /** The next such operation waits until the returned function is called. */
  hold(operation: FakeNetworkOperation): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#holds.push({ operation, released: promise });
    return () => {
      resolve(undefined);
    };
  }

  describe(slot: number): NetworkSlot {
    if (!Number.isInteger(slot) || slot < 0 || slot >= this.capacity) {
      throw new OffshootError('network-setup-failed', { message: `There is no slot ${String(slot)}.` });
    }
    const netnsName = `offshoot-fake-${String(slot)}`;
    const hostSideAddress = `10.83.${String((slot + 2) >> 8)}.${String((slot + 2) & 255)}`;
    return { slot, netnsName, netnsPath: `/run/netns/${netnsName}`, tapName: 'tap0', hostSideAddress };
  }

  async start(options: { living: readonly LivingSlot[]; onHelperEvent: (event: HelperEvent) => void }): Promise<void> {
    await this.#enter('start');
    this.living = options.living;
    this.onHelperEvent = options.onHelperEvent;
    this.started = true;
  }

  async create(slot: number, uid: number, egress: SlotEgress): Promise<NetworkSlot> {
    const described = this.describe(slot);
    try {
      await this.#enter('create', slot);
    } catch (error) {
      if (error instanceof HalfMade) {
        this.slots.set(slot, { uid, egress, halfMade: true });
        throw error.cause;
      }
      throw error;
    }
    if (!this.started) throw new OffshootError('network-setup-failed', { message: 'start() was not called' });
    this.slots.set(slot, { uid, egress, halfMade: false });
    return described;
  }

  async setEgress(slot: number, egress: SlotEgress): Promise<void> {
    await this.#enter('set', slot);
    const made = this.slots.get(slot);
    if (made === undefined) throw new OffshootError('network-setup-failed', { message: 'no such slot' });
    this.slots.set(slot, { ...made, egress });
  }

  async pinsOf(sandboxId: string): Promise<PinDocument> {
    return Promise.resolve(this.pins.get(sandboxId) ?? { version: 1, pins: [] });
  }

  async restorePins(sandboxId: string, document: PinDocument): Promise<void> {
    this.pins.set(sandboxId, document);
    await Promise.resolve();
  }

  async countedByGate(): Promise<GateReport> {
    return Promise.resolve({ cursor: {}, rows: this.gateRows, more: false });
  }

  async countedByFilter(slot: number): Promise<CountedTraffic[]> {
    return Promise.resolve(this.filterRows.get(slot) ?? []);
  }

  async remove(slot: number): Promise<void> {
    await this.#enter('remove', slot);
    this.slots.delete(slot);
  }

  async existing(): Promise<number[]> {
    await this.#enter('existing');
    return [...this.slots.keys()].sort((a, b) => a - b);
  }

  async stop(keep: boolean): Promise<void> {
    await this.#enter('stop');
    this.started = false;
    if (!keep) this.slots.clear();
  }

  async #enter(operation: FakeNetworkOperation, slot?: number): Promise<void> {
    this.calls.push(slot === undefined ? operation : `${operation} ${String(slot)}`);
    const hold = this.#holds.find((candidate) => candidate.operation === operation);
    if (hold !== undefined) {
      this.#holds = this.#holds.filter((other) => other !== hold);
      await hold.released;
    }
    const fault = this.#faults.find(
      (candidate) => candidate.operation === operation && (candidate.slot === undefined || candidate.slot === slot),
    );
    if (fault === undefined) return;
    this.#faults = this.#faults.filter((other) => other !== fault);
    throw fault.leavesHalf ? new HalfMade(fault.error) : fault.error;
  }
}

class HalfMade extends Error {
  constructor(cause: Error) {
    super('half made', { cause });
  }
}
