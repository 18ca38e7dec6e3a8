import { rm } from 'node:fs/promises';
import type { HostContext } from './host-context.ts';
import type { Idempotency } from './idempotency.ts';
import { sandboxPaths } from './sandbox-paths.ts';

const sweepEveryMs = 30_000;

/** Removes tombstones, with their outputs, that are too old, too many or too large; and old idempotency keys. */
export class Retention {
  readonly #host: HostContext;
  readonly #idempotency: Idempotency;

  constructor(host: HostContext, idempotency: Idempotency) {
    this.#host = host;
    this.#idempotency = idempotency;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sweep().catch((error: unknown) => this.#host.log.error({ error }, 'tombstones could not be removed'));
      await this.#host.clock.sleep(sweepEveryMs, signal).catch(() => undefined);
    }
  }

  async sweep(): Promise<void> {
    const { store, config, clock } = this.#host;
    this.#idempotency.forgetOld();
    const expired = store.sandboxes.expired({
      keep: config.maxTombstones,
      keepBytes: config.maxTombstoneBytes,
      endedBeforeMs: clock.wallMs() - config.tombstoneHours * 3_600_000,
    });
    for (const id of expired) await this.remove(id);
  }

  /** Files first: a row without files is found again, files without a row are swept at the next start. */
  async remove(id: string): Promise<void> {
    await rm(sandboxPaths(this.#host.paths, id).directory, { recursive: true, force: true });
    this.#host.store.sandboxes.delete(id);
  }
}
