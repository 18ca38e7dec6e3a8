import type { ProtocolViolation } from '../protocol/frame.ts';

/** More than this within `spanMs` and the sandbox is given up. */
const tolerated = 2;
const spanMs = 60_000;

/** Remembers how often a guest has broken the protocol. */
export class Violations {
  last: ProtocolViolation | undefined;
  readonly #atMs: number[] = [];

  /** True when it was once too often. */
  add(violation: ProtocolViolation): boolean {
    const nowMs = performance.now();
    this.last = violation;
    this.#atMs.push(nowMs);
    while ((this.#atMs[0] ?? nowMs) < nowMs - spanMs) this.#atMs.shift();
    return this.#atMs.length > tolerated;
  }
}
