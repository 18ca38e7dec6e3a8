import { OffshootError } from '../errors/offshoot-error.ts';

/** Numbers of networks and users. Next fit: a number just freed rests as long as it can, and so do its connections and files. */
export class Slots {
  readonly #capacity: number;
  readonly #taken = new Set<number>();
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Throws `capacity-exhausted` when none is left. */
  take(): number {
    for (let tried = 0; tried < this.#capacity; tried += 1) {
      const slot = (this.#next + tried) % this.#capacity;
      if (this.#taken.has(slot)) continue;
      this.#taken.add(slot);
      this.#next = (slot + 1) % this.#capacity;
      return slot;
    }
    throw new OffshootError('capacity-exhausted', {
      message: 'Every network slot of this host is taken.',
      details: { slots: this.#capacity },
    });
  }

  /** Takes one that an earlier hostd gave out. */
  adopt(slot: number): void {
    this.#taken.add(slot);
    this.#next = (Math.max(slot, this.#next - 1) + 1) % this.#capacity;
  }

  free(slot: number): void {
    this.#taken.delete(slot);
  }
}
