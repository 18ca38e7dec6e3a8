/** Where a job's time went, in the order it went there. Milliseconds. */
export class Timings {
  readonly #spans: Record<string, number>;
  #lastMs = performance.now();

  constructor(earlier: Record<string, number> = {}) {
    this.#spans = { ...earlier };
  }

  /** Ends the span that began at the last lap. */
  lap(name: string): void {
    const nowMs = performance.now();
    this.add(name, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  /** Time that somebody else measured. */
  add(name: string, durationMs: number): void {
    this.#spans[name] = Math.round(((this.#spans[name] ?? 0) + durationMs) * 10) / 10;
  }

  /** The next lap begins now. */
  restart(): void {
    this.#lastMs = performance.now();
  }

  toJSON(): Record<string, number> {
    return { ...this.#spans };
  }
}
