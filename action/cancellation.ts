/**
 * The runner cancels with SIGINT, 7.5 s later SIGTERM, 2.5 s later the end of the whole process tree (ProcessInvoker of actions/runner). So the
 * sandbox is destroyed at the first signal, not when the work has noticed.
 */
export class Cancellation {
  readonly #controller = new AbortController();
  readonly #reactions: (() => Promise<unknown>)[] = [];
  #settled: Promise<unknown> = Promise.resolve();

  constructor() {
    process.on('SIGINT', this.#cancel).on('SIGTERM', this.#cancel);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cancelled(): boolean {
    return this.signal.aborted;
  }

  /** Runs at the first signal, before anything else is told of it. */
  onCancel(reaction: () => Promise<unknown>): void {
    this.#reactions.push(reaction);
  }

  /** Resolves when all reactions have ended. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  readonly #cancel = (): void => {
    if (this.cancelled) return;
    this.#settled = Promise.allSettled(this.#reactions.map((reaction) => reaction()));
    this.#controller.abort();
  };
}
