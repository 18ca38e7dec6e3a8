import type { HostContext } from './host-context.ts';
import type { Teardown } from './teardown.ts';

const everyMs = 10_000;

/** Tries teardowns again that failed, until nothing is left of them. */
export class Janitor {
  readonly #host: HostContext;
  readonly #teardown: Teardown;

  constructor(host: HostContext, teardown: Teardown) {
    this.#host = host;
    this.#teardown = teardown;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#host.clock.sleep(everyMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const failed = this.#host.registry.live.filter(({ row, teardown }) => row.state === 'stopping' && !teardown);
      for (const sandbox of failed) {
        // The reason of the first attempt is in its row and stays.
        await this.#teardown.end(sandbox, { reason: 'stopped', message: '' }).catch(() => undefined);
      }
    }
  }
}
