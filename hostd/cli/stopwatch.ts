/** Splits a command's time into named steps. */
export class Stopwatch {
  readonly #steps: [string, number][] = [];
  #lastMs = performance.now();

  /** Ends the step that began at the last lap; without a name that time is dropped. */
  lap(name?: string): void {
    const nowMs = performance.now();
    if (name !== undefined) this.#steps.push([name, nowMs - this.#lastMs]);
    this.#lastMs = nowMs;
  }

  /** A step somebody else measured. */
  add(name: string, durationMs: number): void {
    this.#steps.push([name, durationMs]);
  }

  entries(): readonly (readonly [string, number])[] {
    return this.#steps;
  }

  /** `{ "first output": 12.3, ... }` in milliseconds. */
  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#steps.map(([name, ms]) => [name, Math.round(ms * 10) / 10]));
  }
}
