import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/platform/stopwatch.ts
var Stopwatch = class {
  #parts;
  #lastMs = performance.now();
  /** `earlier` is what the `toJSON` of another one gave. */
  constructor(earlier = {}) {
    this.#parts = new Map(Object.entries(earlier));
  }
  /** Ends the part that began at the last lap; without a name that time is dropped. */
  lap(name) {
    const nowMs = performance.now();
    if (name !== void 0) this.add(name, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }
  /** A part somebody else measured. */
  add(name, durationMs) {
    this.#parts.set(name, (this.#parts.get(name) ?? 0) + durationMs);
  }
  entries() {
    return [...this.#parts];
  }
  /** `{ "first output": 12.3, ... }` in milliseconds. */
  toJSON() {
    return Object.fromEntries(this.entries().map(([name, ms]) => [name, Math.round(ms * 10) / 10]));
  }
};

export {
  Stopwatch
};
