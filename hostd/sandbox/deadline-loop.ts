import type { Clock } from '../platform/clock.ts';

/** A look now and then, should a timer and the clock disagree. */
export const longestSleepMs = 30_000;

/** Does what is due when it is due, and sleeps until the next deadline in between. */
export class DeadlineLoop {
  readonly #clock: Clock;
  readonly #doDue: () => number | Promise<number>;
  #changed = new AbortController();

  /** `doDue` does what is over and answers how long nothing will be, in milliseconds. */
  constructor(clock: Clock, doDue: () => number | Promise<number>) {
    this.#clock = clock;
    this.#doDue = doDue;
  }

  /** A deadline is new or was moved: look again when to wake. */
  changed(): void {
    this.#changed.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#changed = new AbortController();
      const sleepMs = await this.#doDue();
      await this.#clock.sleep(sleepMs, AbortSignal.any([signal, this.#changed.signal])).catch(() => undefined);
    }
  }
}
