/**
 * Runs one piece of work, never twice at once. Who asks while it is under way waits for the next run, which begins after all who
 * share it have asked: what it finds is no older than the question.
 */
export class FreshRun<Found = void> {
  readonly #work: () => Promise<Found>;
  #current: Promise<Found> | undefined;
  #next: Promise<Found> | undefined;

  constructor(work: () => Promise<Found>) {
    this.#work = work;
  }

  /** Rejects as the work does. */
  run(): Promise<Found> {
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

  #start(): Promise<Found> {
    const run = this.#work().finally(() => {
      this.#current = undefined;
    });
    this.#current = run;
    return run;
  }
}
