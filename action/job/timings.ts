/** The parts of a job's time. */
export type Span =
  | 'queued'
  | 'restored'
  | 'synced'
  | 'prepared'
  | 'saved'
  | 'first output'
  | 'done'
  | 'kept'
  | 'brought back'
  | 'destroyed';

/** Where a job's time went, in the order it went there. Milliseconds. */
export class Timings {
  readonly #spans: Map<string, number>;
  #lastMs = performance.now();

  constructor(earlier: Readonly<Record<string, number>> = {}) {
    this.#spans = new Map(Object.entries(earlier));
  }

  /** Ends the span that began at the last lap. */
  lap(name: Span): void {
    const nowMs = performance.now();
    this.add(name, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  /** Time that somebody else measured. */
  add(name: Span, durationMs: number): void {
    this.#spans.set(name, Math.round(((this.#spans.get(name) ?? 0) + durationMs) * 10) / 10);
  }

  /** The next lap begins now; the time since the last belongs to nothing. */
  restart(): void {
    this.#lastMs = performance.now();
  }

  /** By name, for people. */
  entries(): Record<string, number> {
    return Object.fromEntries(this.#spans);
  }

  /** For programs: `{ "firstOutputMs": 12.3 }`. */
  toJSON(): Record<string, number> {
    const key = (name: string) => `${name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())}Ms`;
    return Object.fromEntries([...this.#spans].map(([name, ms]) => [key(name), ms]));
  }
}
