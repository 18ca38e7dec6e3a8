/** Splits time into named parts; of a name that comes again the times add up. */
export class Stopwatch<Name extends string = string> {
  readonly #parts: Map<string, number>;
  #lastMs = performance.now();

  /** `earlier` is what the `toJSON` of another one gave. */
  constructor(earlier: Readonly<Record<string, number>> = {}) {
    this.#parts = new Map(Object.entries(earlier));
  }

  /** Ends the part that began at the last lap; without a name that time is dropped. */
  lap(name?: Name): void {
    const nowMs = performance.now();
    if (name !== undefined) this.add(name, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  /** A part somebody else measured. */
  add(name: Name, durationMs: number): void {
    this.#parts.set(name, (this.#parts.get(name) ?? 0) + durationMs);
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#parts];
  }

  /** `{ "first output": 12.3, ... }` in milliseconds. */
  toJSON(): Record<string, number> {
    return Object.fromEntries(this.entries().map(([name, ms]) => [name, Math.round(ms * 10) / 10]));
  }
}
