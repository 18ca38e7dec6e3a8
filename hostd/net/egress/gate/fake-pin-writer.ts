import {
  openingKey,
  type Opening,
  type PinAddition,
  type PinnedSandbox,
  type PinRemoval,
  type PinWriter,
} from './pin-writer.ts';

/** A packet filter in memory, which can be slow and can fail. */
export class FakePinWriter implements PinWriter {
  /** `sandboxId transport address port` of what is open, with the life it was given last in milliseconds. */
  readonly open = new Map<string, number>();
  /** How many openings each write had. */
  readonly writes: number[] = [];
  readonly used = new Set<string>();
  failing = false;
  before: () => Promise<void> = () => Promise.resolve();

  async add(batch: readonly PinAddition[]): Promise<void> {
    await this.#write(batch.length);
    for (const { sandbox, opening, lifetimeMs } of batch) this.open.set(key(sandbox, opening), lifetimeMs);
  }

  async remove(batch: readonly PinRemoval[]): Promise<void> {
    await this.#write(batch.length);
    for (const { sandbox, opening } of batch) this.open.delete(key(sandbox, opening));
  }

  async keepOnly(sandbox: PinnedSandbox, openings: readonly Opening[]): Promise<void> {
    await this.#write(openings.length);
    const kept = new Set(openings.map((opening) => key(sandbox, opening)));
    for (const opened of this.open.keys()) {
      if (opened.startsWith(`${sandbox.sandboxId} `) && !kept.has(opened)) this.open.delete(opened);
    }
  }

  async inUse(sandbox: PinnedSandbox, openings: readonly Opening[]): Promise<readonly Opening[]> {
    await this.before();
    return openings.filter((opening) => this.used.has(key(sandbox, opening)));
  }

  async #write(openings: number): Promise<void> {
    await this.before();
    if (this.failing) throw new Error('the filter does not take it');
    this.writes.push(openings);
  }
}

function key({ sandboxId }: PinnedSandbox, opening: Opening): string {
  return `${sandboxId} ${openingKey(opening)}`;
}
