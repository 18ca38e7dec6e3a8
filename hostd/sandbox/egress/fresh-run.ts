/**
 * Runs one piece of work, never twice at once. Who asks while it is under way waits for the next run, which begins after all who
 * share it have asked: what it finds is no older than the question.
 */
export class FreshRun {
  readonly #work: () => Promise<void>;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Rejects as the work does. */
  run(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#current === undefined) return this.#start();
    this.#next = this.#current
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    const run = this.#work().finally(() => {
      this.#current = undefined;
    });
    this.#current = run;
    return run;
  }
}
