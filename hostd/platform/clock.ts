import { setTimeout as sleep } from 'node:timers/promises';

/** Time as the daemon sees it; tests give a clock they move. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. It may be set back: never measure or expire with it. */
  wallMs(): number;
  /** Monotonic milliseconds since the host booted: comparable across processes of one boot. */
  monotonicMs(): number;
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  sleep: async (durationMs, signal) => {
    await sleep(durationMs, undefined, { signal });
  },
};

interface Sleeper {
  dueMs: number;
  resolve: () => void;
}

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #sleepers: Sleeper[] = [];

  constructor(wallMs = Date.UTC(2030, 0, 1)) {
    this.#wallMs = wallMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { dueMs: this.#monotonicMs + durationMs, resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason as Error);
      });
    });
  }

  /** Moves both clocks and wakes the sleepers whose time has come. */
  advance(durationMs: number): void {
    this.#wallMs += durationMs;
    this.#monotonicMs += durationMs;
    const due = this.#sleepers.filter((sleeper) => sleeper.dueMs <= this.#monotonicMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.dueMs > this.#monotonicMs);
    for (const sleeper of due) sleeper.resolve();
  }

  /** Steps the wall clock alone, as an administrator or NTP would. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }
}
