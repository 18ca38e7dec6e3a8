import { OffshootError } from '../errors/offshoot-error.ts';
import type { Image } from '../guest/image/image.ts';
import type { CreationOrder } from './creation-order.ts';
import type { HostContext } from './host-context.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import type { Spare } from './spare-maker.ts';
import type { SparePool } from './spare-pool.ts';

/** Whole milliseconds since the request was accepted. */
export function elapsedMs(host: HostContext, sandbox: LiveSandbox): number {
  return Math.round(host.clock.monotonicMs() - sandbox.row.acceptedMs);
}

/** From the request to the journal: room, a place in the store, and a spare machine if there is one. */
export class Entrance {
  readonly #host: HostContext;
  readonly #spares: SparePool;

  constructor(host: HostContext, spares: SparePool) {
    this.#host = host;
    this.#spares = spares;
  }

  /** Waits for room and takes it. Who gives up or is refused was never a sandbox; who is stopped while waiting leaves a tombstone. */
  async enter(order: CreationOrder, sandbox: LiveSandbox, image: Image): Promise<Spare | undefined> {
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
      const { cpus, memoryMiB, diskMiB, egressMode } = row;
      spare = await this.#spares.take({ image, shape: { cpus, memoryMiB, diskMiB }, egressMode });
      sandbox.ending.signal.throwIfAborted();
      this.#journal(sandbox, spare);
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

  /** Everything that is going to exist, in one transaction, before any of it does. What a spare machine has becomes the sandbox's. */
  #journal(sandbox: LiveSandbox, spare: Spare | undefined): void {
    const { store, registry, events, slots } = this.#host;
    const { id } = sandbox.row;
    const slot = spare?.slot ?? slots.take();
    if (spare !== undefined) sandbox.paths = { ...sandbox.paths, vm: spare.vmDirectory };
    try {
      store.transaction(() => {
        if (store.sandboxes.get(id) === undefined) store.sandboxes.insert(sandbox.row);
        const templateId = spare?.template.manifest.id ?? null;
        registry.move(sandbox, 'creating', { slot, templateId, queuedMs: elapsedMs(this.#host, sandbox) });
        if (spare !== undefined) store.resources.eraseAll(spare.owner);
        const vmDetail = spare === undefined ? {} : { record: spare.vm.record };
        store.resources.record({ owner: id, kind: 'directory', name: id, detail: {} });
        store.resources.record({ owner: id, kind: 'network-slot', name: String(slot), detail: { slot } });
        store.resources.record({ owner: id, kind: 'vm', name: sandbox.paths.vm, detail: vmDetail });
        events.append('sandbox.creating', { sandboxId: id, data: { image: sandbox.row.image } });
      });
    } catch (error) {
      if (spare === undefined) slots.free(slot);
      throw error;
    }
  }
}
