import type { Pin } from '../dns/pin-document.ts';
import type { PinSink } from '../dns/pin-table.ts';
import type { Opening, PinnedSandbox, PinWriter } from './pin-writer.ts';

interface Waiting {
  sandbox: PinnedSandbox;
  opening: Opening;
  /** Of an addition; undefined: a removal. */
  lifetimeMs: number | undefined;
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
  readonly #waiting: Waiting[] = [];
  #writing = false;

  constructor(writer: PinWriter, sandboxOf: (sandboxId: string) => PinnedSandbox | undefined) {
    this.#writer = writer;
    this.#sandboxOf = sandboxOf;
  }

  add(sandboxId: string, pin: Pin, lifetimeMs: number): Promise<void> {
    const sandbox = this.#sandboxOf(sandboxId);
    if (sandbox === undefined) return Promise.reject(new Error(`no sandbox ${sandboxId}`));
    return this.#enqueue(sandbox, pin, lifetimeMs);
  }

  remove(sandboxId: string, pin: Pin): Promise<void> {
    const sandbox = this.#sandboxOf(sandboxId);
    // Gone, and its filter with it.
    return sandbox === undefined ? Promise.resolve() : this.#enqueue(sandbox, pin, undefined);
  }

  async inUse(sandboxId: string, pins: readonly Pin[]): Promise<readonly Pin[]> {
    const sandbox = this.#sandboxOf(sandboxId);
    if (sandbox === undefined) return [];
    const used = await this.#writer.inUse(sandbox, pins.map(openingOf));
    return used.map((opening) => ({ ...opening, name: '' }));
  }

  #enqueue(sandbox: PinnedSandbox, pin: Pin, lifetimeMs: number | undefined): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ sandbox, opening: openingOf(pin), lifetimeMs, resolve, reject });
    });
    if (!this.#writing) {
      this.#writing = true;
      // After the present turn, in which the other pins of this answer come.
      setImmediate(() => void this.#drain());
    }
    return written;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const isRemoval = this.#waiting[0]?.lifetimeMs === undefined;
      const other = this.#waiting.findIndex(({ lifetimeMs }) => (lifetimeMs === undefined) !== isRemoval);
      const batch = this.#waiting.splice(0, Math.min(maxBatch, other === -1 ? this.#waiting.length : other));
      if (!(await this.#write(batch, isSingle(batch)))) await this.#writeBySandbox(batch);
    }
    this.#writing = false;
  }

  /** So that one sandbox whose filter is gone does not take others' pins with it. */
  async #writeBySandbox(batch: readonly Waiting[]): Promise<void> {
    const sandboxIds = new Set(batch.map(({ sandbox }) => sandbox.sandboxId));
    for (const sandboxId of sandboxIds) {
      const own = batch.filter(({ sandbox }) => sandbox.sandboxId === sandboxId);
      await this.#write(own, true);
    }
  }

  /** False when it failed and may be tried in parts. */
  async #write(batch: readonly Waiting[], isLastTry: boolean): Promise<boolean> {
    try {
      const additions = batch.flatMap(({ sandbox, opening, lifetimeMs }) =>
        lifetimeMs === undefined ? [] : [{ sandbox, opening, lifetimeMs }],
      );
      if (additions.length > 0) await this.#writer.add(additions);
      else await this.#writer.remove(batch.map(({ sandbox, opening }) => ({ sandbox, opening })));
      for (const { resolve } of batch) resolve();
      return true;
    } catch (cause) {
      if (isLastTry) for (const { reject } of batch) reject(cause);
      return isLastTry;
    }
  }
}

function isSingle(batch: readonly Waiting[]): boolean {
  return new Set(batch.map(({ sandbox }) => sandbox.sandboxId)).size === 1;
}

function openingOf({ address, port, transport }: Opening): Opening {
  return { address, port, transport };
}
