import type { Pin } from '../dns/pin-document.ts';
import type { PinSink } from '../dns/pin-table.ts';
import type { PinAddition, PinnedSandbox, PinRemoval, PinWriter } from './pin-writer.ts';

interface Waiting<Item> {
  item: Item;
  resolve: () => void;
  reject: (cause: unknown) => void;
}

/** Openings in one write: a bound for what one transaction of the filter holds. */
const maxBatch = 4096;

/**
 * Puts the pins of one answer, and of all that come meanwhile, into one write. One write is under way at a time, so what was asked for
 * first takes effect first; additions and removals that follow each other stay in their order.
 */
export class PinBatches implements PinSink {
  readonly #writer: PinWriter;
  readonly #sandboxOf: (sandboxId: string) => PinnedSandbox | undefined;
  #waiting: (Waiting<PinAddition> & { kind: 'add' } | Waiting<PinRemoval> & { kind: 'remove' })[] = [];
  #writing = false;

  constructor(writer: PinWriter, sandboxOf: (sandboxId: string) => PinnedSandbox | undefined) {
    this.#writer = writer;
    this.#sandboxOf = sandboxOf;
  }

  add(sandboxId: string, { address, port, transport }: Pin, lifetimeMs: number): Promise<void> {
    const sandbox = this.#sandboxOf(sandboxId);
    if (sandbox === undefined) return Promise.reject(new Error(`no sandbox ${sandboxId}`));
    const item = { sandbox, opening: { address, port, transport }, lifetimeMs };
    return this.#enqueue((resolve, reject) => ({ kind: 'add', item, resolve, reject }));
  }

  remove(sandboxId: string, { address, port, transport }: Pin): Promise<void> {
    const sandbox = this.#sandboxOf(sandboxId);
    // Gone, and its filter with it.
    if (sandbox === undefined) return Promise.resolve();
    const item = { sandbox, opening: { address, port, transport } };
    return this.#enqueue((resolve, reject) => ({ kind: 'remove', item, resolve, reject }));
  }

  async inUse(sandboxId: string, pins: readonly Pin[]): Promise<readonly Pin[]> {
    const sandbox = this.#sandboxOf(sandboxId);
    if (sandbox === undefined) return [];
    const used = await this.#writer.inUse(sandbox, pins);
    return used.map((opening) => ({ ...opening, name: '' }));
  }

  #enqueue(
    make: (resolve: () => void, reject: (cause: unknown) => void) => (typeof this.#waiting)[number],
  ): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push(make(resolve, reject));
    });
    if (!this.#writing) {
      this.#writing = true;
      // After the present turn, in which the other pins of this answer come.
      setImmediate(() => void this.#drain());
    }
    return written;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeNext();
    this.#writing = false;
  }

  async #writeNext(): Promise<void> {
    const kind = this.#waiting[0]?.kind;
    const other = this.#waiting.findIndex((one) => one.kind !== kind);
    const batch = this.#waiting.splice(0, Math.min(maxBatch, other === -1 ? this.#waiting.length : other));
    try {
      const additions = batch.flatMap((one) => (one.kind === 'add' ? [one.item] : []));
      if (additions.length > 0) await this.#writer.add(additions);
      else await this.#writer.remove(batch.map(({ item }) => ({ sandbox: item.sandbox, opening: item.opening })));
      for (const { resolve } of batch) resolve();
    } catch (cause) {
      if (batch.length === 1) batch[0]?.reject(cause);
      else await this.#oneByOne(batch);
    }
  }

  /** So that one sandbox whose filter is gone does not take others' pins with it. */
  async #oneByOne(batch: typeof this.#waiting): Promise<void> {
    const sandboxIds = [...new Set(batch.map(({ item }) => item.sandbox.sandboxId))];
    for (const sandboxId of sandboxIds) {
      const own = batch.filter(({ item }) => item.sandbox.sandboxId === sandboxId);
      try {
        const additions = own.flatMap((one) => (one.kind === 'add' ? [one.item] : []));
        if (additions.length > 0) await this.#writer.add(additions);
        else await this.#writer.remove(own.map(({ item }) => item));
        for (const { resolve } of own) resolve();
      } catch (cause) {
        for (const { reject } of own) reject(cause);
      }
    }
  }
}
