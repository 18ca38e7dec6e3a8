const slices = 4;

/**
 * A timeout that counts only while this process runs. One that stood still (a suspended machine, a stopped or starved process) finds what came
 * meanwhile only after its timers: it has three quarters of the time, at least, to read that before `onOver` is called.
 */
export class Patience {
  readonly #timer: NodeJS.Timeout;
  #left = slices;

  constructor(timeoutMs: number, onOver: () => void) {
    this.#timer = setInterval(() => {
      this.#left -= 1;
      if (this.#left > 0) return;
      this.end();
      onOver();
    }, timeoutMs / slices);
  }

  /** The whole time from now; not after the end. */
  refresh(): void {
    this.#left = slices;
    this.#timer.refresh();
  }

  /** Idempotent. */
  end(): void {
    clearInterval(this.#timer);
  }
}
