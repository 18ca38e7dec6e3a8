import { OffshootError } from '../errors/offshoot-error.ts';
import { journalSandbox } from './bring-up.ts';
import type { CreationOrder, CreationOrigin } from './creation-order.ts';
import type { HostContext } from './host-context.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import type { Spare } from './spare-maker.ts';
import type { SparePool } from './spare-pool.ts';

/** From the request to the journal: room, a place in the store, and a spare machine if there is one. */
export class Entrance {
  readonly #host: HostContext;
  readonly #spares: SparePool;

  constructor(host: HostContext, spares: SparePool) {
    this.#host = host;
    this.#spares = spares;
  }

  /** Waits for room and takes it. Who gives up or is refused was never a sandbox; who is stopped while waiting leaves a tombstone. */
  async enter(order: CreationOrder, sandbox: LiveSandbox, origin: CreationOrigin): Promise<Spare | undefined> {
    const { admission, registry, store, events, clock } = this.#host;
    const { row } = sandbox;
    let spare: Spare | undefined;
    try {
      sandbox.place = await admission.enter({
        shape: row,
        waitSeconds: order.request.waitSeconds,
        signal: AbortSignal.any([sandbox.ending.signal, ...(order.signal === undefined ? [] : [order.signal])]),
        onQueued: () => {
          store.transaction(() => {
            store.sandboxes.insert(row);
            events.append('sandbox.queued', { sandboxId: row.id });
          });
          void this.#spares.giveUp();
        },
      });
      spare = await this.#spares.take({ origin });
      sandbox.ending.signal.throwIfAborted();
      journalSandbox(this.#host, sandbox, spare);
      return spare;
    } catch (error) {
      if (spare !== undefined) await this.#spares.discard(spare);
      sandbox.place?.leave();
      const stopped = sandbox.ending.signal.aborted && !this.#host.stopping;
      store.transaction(() => {
        if (store.sandboxes.get(row.id) === undefined) {
          if (!stopped) return;
          store.sandboxes.insert(row);
        }
        const reason = stopped ? 'stopped' : 'create-failed';
        const message = stopped ? 'Stopped while it waited for room.' : 'It did not get room.';
        const endedAtMs = clock.wallMs();
        registry.move(sandbox, 'gone', { endReason: reason, endMessage: message, endedAtMs });
        if (!stopped) store.sandboxes.delete(row.id);
        events.append('sandbox.gone', { sandboxId: row.id, data: { reason, message } });
      });
      registry.drop(row.id);
      if (order.signal?.aborted === true && !sandbox.ending.signal.aborted) {
        throw new OffshootError('aborted', { message: 'The client left while the request waited for room.' });
      }
      throw error;
    }
  }
}
