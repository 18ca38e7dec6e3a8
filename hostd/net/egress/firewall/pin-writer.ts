import { isIPv4 } from 'node:net';
import type { Runner } from '../../../platform/run.ts';
import type { Pin } from '../dns/pin-document.ts';
import type { PinSink } from '../dns/pin-table.ts';
import { loadRules } from './load-rules.ts';
import { pinnedHostsSet, pinnedSet } from './slot-sets.ts';
import { trackedFlows, type TrackedFlow } from './tracked-flows.ts';

const batchSize = 512;
/** A resolver allows one sandbox 64 questions at once; nothing honest waits behind so many changes. */
const maxWaitingPerSandbox = 8192;

interface Change {
  text: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Queue {
  waiting: Change[];
  /** undefined as long as nothing is being written. */
  running: Promise<void> | undefined;
}

/**
 * Pins as elements of the sets of sandboxes' packet filters (`slotPolicyRules`). What is asked for while nft runs for a sandbox goes into its
 * next run, in the order asked for. Connections that use a pin pass on while it is renewed: old and new element change in one transaction.
 */
export class PinWriter implements PinSink {
  readonly #runner: Runner;
  readonly #netnsPathOf: (sandboxId: string) => string | undefined;
  readonly #queues = new Map<string, Queue>();

  /** `netnsPathOf`: undefined for a sandbox that is gone. */
  constructor(runner: Runner, netnsPathOf: (sandboxId: string) => string | undefined) {
    this.#runner = runner;
    this.#netnsPathOf = netnsPathOf;
  }

  /** Rejects for IPv6, which sandboxes don't have, for a sandbox that is gone, or when nft fails. */
  add(sandboxId: string, pin: Pin, lifetimeMs: number): Promise<void> {
    const life = `timeout ${String(Math.max(1, Math.round(lifetimeMs)))}ms`;
    return this.#change(sandboxId, pin, (element) => `${removal(element)}${addition(element, life)}`);
  }

  /** Rejects like `add`. Connections that used the pin end with their next packet. */
  remove(sandboxId: string, pin: Pin): Promise<void> {
    return this.#change(sandboxId, pin, removal);
  }

  async inUse(sandboxId: string, pins: readonly Pin[]): Promise<readonly Pin[]> {
    const used = new Set<string>();
    for (const { transport, address, port } of await this.flows(sandboxId)) {
      used.add(`${transport} ${address} ${String(port)}`).add(`${transport} ${address} any`);
    }
    return pins.filter(({ transport, address, port }) => used.has(`${transport} ${address} ${String(port)}`));
  }

  /** The open connections of a sandbox; none of one that is gone. Rejects when they can't be read. */
  async flows(sandboxId: string): Promise<readonly TrackedFlow[]> {
    const netnsPath = this.#netnsPathOf(sandboxId);
    return netnsPath === undefined ? [] : trackedFlows(this.#runner, netnsPath);
  }

  /** Resolves when nothing is being written for a sandbox; what waits of one that is gone fails by itself. Never rejects. */
  async idle(sandboxId: string): Promise<void> {
    await this.#queues.get(sandboxId)?.running;
  }

  #change(sandboxId: string, pin: Pin, textOf: (element: PinElement) => string): Promise<void> {
    if (!isIPv4(pin.address)) return Promise.reject(new TypeError(`not an IPv4 address: ${pin.address}`));
    const queue = this.#queues.get(sandboxId) ?? { waiting: [], running: undefined };
    if (queue.waiting.length >= maxWaitingPerSandbox) {
      return Promise.reject(new Error(`more than ${String(maxWaitingPerSandbox)} changes of pins wait`));
    }
    this.#queues.set(sandboxId, queue);
    const done = new Promise<void>((resolve, reject) => {
      queue.waiting.push({ text: textOf(elementOf(pin)), resolve, reject });
    });
    queue.running ??= this.#work(sandboxId, queue);
    return done;
  }

  async #work(sandboxId: string, queue: Queue): Promise<void> {
    // What is asked for in the same turn belongs to the same run.
    await Promise.resolve();
    while (queue.waiting.length > 0) await this.#apply(sandboxId, queue.waiting.splice(0, batchSize));
    this.#queues.delete(sandboxId);
  }

  /** A batch that fails is tried change by change: one that can't be made must not fail those beside it. */
  async #apply(sandboxId: string, batch: readonly Change[]): Promise<void> {
    try {
      await this.#load(sandboxId, batch.map(({ text }) => text).join(''));
    } catch (error) {
      const [first] = batch;
      if (batch.length === 1) first?.reject(error);
      else for (const change of batch) await this.#apply(sandboxId, [change]);
      return;
    }
    for (const { resolve } of batch) resolve();
  }

  async #load(sandboxId: string, document: string): Promise<void> {
    const netnsPath = this.#netnsPathOf(sandboxId);
    if (netnsPath === undefined) throw new Error(`the sandbox ${sandboxId} has no network`);
    await loadRules(this.#runner, netnsPath, document);
  }
}

interface PinElement {
  set: string;
  key: string;
}

function elementOf({ address, port, transport }: Pin): PinElement {
  if (port === 'any') return { set: pinnedHostsSet(transport), key: address };
  return { set: pinnedSet(transport), key: `${address} . ${String(port)}` };
}

function addition({ set, key }: PinElement, life: string): string {
  return `add element inet offshoot ${set} { ${key} ${life} }\n`;
}

/** Deleting what is not there is an error, and kernels before 6.12 keep the old time of an element that is added again: hence both, in one transaction. */
function removal(element: PinElement): string {
  const { set, key } = element;
  return `${addition(element, 'timeout 1m')}delete element inet offshoot ${set} { ${key} }\n`;
}
