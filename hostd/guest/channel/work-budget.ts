import { ProtocolViolation } from '../protocol/frame.ts';

const burst = 100_000;
const perSecond = 10_000;

/**
 * Bounds the frames of a guest that bring nothing: pings, repeated acknowledgements, data of streams already closed.
 * An honest agent stays far below; a flood of them is a violation.
 */
export class IdleFrameBudget {
  #left = burst;
  #filledAtMs = performance.now();

  spend(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const nowMs = performance.now();
    this.#left = Math.min(burst, Math.floor(((nowMs - this.#filledAtMs) * perSecond) / 1000)) - 1;
    this.#filledAtMs = nowMs;
    if (this.#left < 0) throw new ProtocolViolation('the guest floods the channel with idle frames');
  }
}

const sliceMs = 8;

/** Says when one guest has had its share of this turn of the event loop, so that others are served between. */
export class TurnSlice {
  #startMs: number | undefined;

  begin(): void {
    if (this.#startMs !== undefined) return;
    this.#startMs = performance.now();
    setImmediate(() => {
      this.#startMs = undefined;
    });
  }

  get spent(): boolean {
    return this.#startMs !== undefined && performance.now() - this.#startMs > sliceMs;
  }
}
