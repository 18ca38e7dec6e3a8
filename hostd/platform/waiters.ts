/** A condition to wait for without polling: `wake` lets everybody who waits look again. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  wake(): void {
    for (const finish of [...this.#waiting]) finish();
  }

  /** Resolves at the next wake, or quietly when the signal aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#waiting.delete(finish);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      this.#waiting.add(finish);
      signal?.addEventListener('abort', finish);
      if (signal?.aborted === true) finish();
    });
  }
}
