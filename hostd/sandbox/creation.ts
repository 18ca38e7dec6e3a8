import { mkdir, writeFile } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Image } from '../guest/image/image.ts';
import type { NetworkSlot } from '../net/network.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { giveTo } from '../platform/ownership.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type { HostContext } from './host-context.ts';
import type { CreationOrder } from './creation-order.ts';
import type { Idempotency } from './idempotency.ts';
import { newSandboxRow } from './creation-order.ts';
import { liveSandbox, type LiveSandbox } from './live-sandbox.ts';
import { makeVmFolder, restoreSandbox } from './restore.ts';
import { sandboxPaths } from './sandbox-paths.ts';
import { expiresAtMs } from './sandbox-view.ts';
import { roundShape } from './shape.ts';
import type { Teardown } from './teardown.ts';
import type { TemplateManager } from './template/template-manager.ts';
import type { Template } from './template/template-store.ts';
import { watchSandbox } from './watch.ts';

/** The way of a sandbox from the request to running. */
export class Creation {
  readonly #host: HostContext;
  readonly #templates: TemplateManager;
  readonly #teardown: Teardown;
  readonly #idempotency: Idempotency;

  constructor(host: HostContext, templates: TemplateManager, teardown: Teardown, idempotency: Idempotency) {
    this.#host = host;
    this.#templates = templates;
    this.#teardown = teardown;
    this.#idempotency = idempotency;
  }

  /** Resolves when the sandbox runs; a create that fails leaves nothing but its tombstone. */
  async run(order: CreationOrder): Promise<void> {
    const { images, admission, vmm } = this.#host;
    const acceptedMs = this.#host.clock.monotonicMs();
    const [image, { limits }] = await Promise.all([images.get(order.request.image), admission.capacity()]);
    const cpus = Math.min(limits.cpus, vmm.features.maxCpus);
    const shape = roundShape(order.request, image.manifest, { ...limits, cpus });
    const row = newSandboxRow(this.#host, order, image, shape, acceptedMs);
    const sandbox = liveSandbox(row, sandboxPaths(this.#host.paths, order.id));
    sandbox.env = order.request.env;
    this.#host.registry.add(sandbox);
    sandbox.creation = this.#bringUp(order, sandbox, image);
    await sandbox.creation;
  }

  async #bringUp(order: CreationOrder, sandbox: LiveSandbox, image: Image): Promise<void> {
    await this.#admit(order, sandbox);
    try {
      await faultPoint('create.journaled');
      await this.#build(order, sandbox, image);
    } catch (error) {
      const ended = sandbox.ending.signal.aborted && !this.#host.stopping;
      if (!ended) this.#host.log.warn({ sandboxId: order.id, error }, 'a sandbox could not be created');
      const message = error instanceof Error ? error.message : String(error);
      const reason = ended ? 'stopped' : 'create-failed';
      await this.#teardown.end(sandbox, { reason, message: ended ? 'Stopped while it was created.' : message });
      throw asCatalogueError(error);
    }
  }

  /** Waits for room and takes it. Who gives up or is refused was never a sandbox; who is stopped while waiting leaves a tombstone. */
  async #admit(order: CreationOrder, sandbox: LiveSandbox): Promise<void> {
    const { admission, registry, store, events, clock } = this.#host;
    const stored = () => store.sandboxes.get(order.id) !== undefined;
    const { row } = sandbox;
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
        },
      });
      this.#journal(sandbox);
    } catch (error) {
      sandbox.place?.leave();
      const stopped = sandbox.ending.signal.aborted && !this.#host.stopping;
      store.transaction(() => {
        if (!stored()) return;
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

  /** Everything that is going to exist, in one transaction, before any of it does. */
  #journal(sandbox: LiveSandbox): void {
    const { store, registry, events, slots } = this.#host;
    const { id } = sandbox.row;
    const slot = slots.take();
    try {
      store.transaction(() => {
        if (store.sandboxes.get(id) === undefined) store.sandboxes.insert(sandbox.row);
        registry.move(sandbox, 'creating', { slot, queuedMs: this.#elapsedMs(sandbox) });
        store.resources.record({ owner: id, kind: 'directory', name: id, detail: {} });
        store.resources.record({ owner: id, kind: 'network-slot', name: String(slot), detail: { slot } });
        store.resources.record({ owner: id, kind: 'vm', name: sandbox.paths.vm, detail: {} });
        events.append('sandbox.creating', { sandboxId: id, data: { image: sandbox.row.image } });
      });
    } catch (error) {
      slots.free(slot);
      throw error;
    }
  }

  async #build(order: CreationOrder, sandbox: LiveSandbox, image: Image): Promise<void> {
    const { slot, egressMode } = sandbox.row;
    if (slot === null) throw new Error('A sandbox without a slot can not be built.');
    const uid = this.#host.config.uidBase + slot;
    const acquired = this.#acquire(sandbox, image);
    const parts = await settleAll([
      this.#makeFolders(sandbox, uid).then(() => faultPoint('create.after-directory')),
      this.#host.network.create(slot, uid, egressMode).then(async (network) => {
        await faultPoint('create.after-network');
        return network;
      }),
      acquired,
    ] as const);
    const [, network, template] = parts;
    const { vm, guest, startedMs } = await this.#restore(sandbox, image, template, network, uid);
    sandbox.vm = vm;
    sandbox.guest = guest;
    this.#announce(order, sandbox, startedMs);
    await faultPoint('create.running');
  }

  /** The sandbox holds its template until it is gone, or gives up waiting for it when it is to end. */
  async #acquire(sandbox: LiveSandbox, image: Image): Promise<Template> {
    const { cpus, memoryMiB, diskMiB } = sandbox.row;
    const giveBack = (template: Template) => void this.#templates.release(template.manifest.id);
    const acquiring = this.#templates.acquire(image, { cpus, memoryMiB, diskMiB });
    const template = await untilAborted(sandbox.ending.signal, acquiring, giveBack);
    sandbox.row = { ...sandbox.row, templateId: template.manifest.id };
    return template;
  }

  async #makeFolders(sandbox: LiveSandbox, uid: number): Promise<void> {
    const { directory, env } = sandbox.paths;
    await mkdir(directory, { recursive: true, mode: 0o711 });
    await giveTo(directory, 0, this.#host.config.vmmGid);
    await makeVmFolder(this.#host, sandbox, uid);
    if (Object.keys(sandbox.env).length > 0) await writeFile(env, JSON.stringify(sandbox.env), { mode: 0o600 });
  }

  /** Restores, once more when it fails, and from a new template when the old one does not work at all. */
  async #restore(sandbox: LiveSandbox, image: Image, first: Template, network: NetworkSlot, uid: number) {
    for (let template = first; ;) {
      try {
        const machine = await restoreSandbox(this.#host, sandbox, template, network, uid);
        this.#templates.restoreWorked(template);
        return machine;
      } catch (error) {
        if (!isOffshootError(error) || error.code !== 'boot-failed') throw error;
        if (!(await this.#templates.restoreFailed(template))) throw error;
        this.#host.log.warn({ sandboxId: sandbox.row.id, error }, 'a restore failed; trying once more');
        await this.#host.vmm.destroy(sandbox.paths.vm, undefined);
        await makeVmFolder(this.#host, sandbox, uid);
        if (!template.retired) continue;
        await this.#templates.release(template.manifest.id);
        sandbox.row = { ...sandbox.row, templateId: null };
        template = await this.#acquire(sandbox, image);
      }
    }
  }

  #announce(order: CreationOrder, sandbox: LiveSandbox, startedMs: number): void {
    const { store, registry, events, clock, vmm } = this.#host;
    const { guest, row } = sandbox;
    if (guest === undefined) throw new Error('A sandbox without an agent can not run.');
    const leaseDeadlineMs = clock.monotonicMs() + row.timeoutSeconds * 1000;
    store.transaction(() => {
      registry.move(sandbox, 'running', {
        templateId: row.templateId,
        isolation: vmm.features.isolation,
        leaseDeadlineMs,
        expiresAtMs: expiresAtMs({ ...row, leaseDeadlineMs }, clock),
        startedAtMs: clock.wallMs(),
        startedMs: Math.round(startedMs - row.acceptedMs),
        readyMs: this.#elapsedMs(sandbox),
      });
      if (order.keyed !== undefined) this.#idempotency.succeeded(order.keyed, row.id);
      store.counters.add('sandboxes_created', 1);
      events.append('sandbox.running', { sandboxId: row.id, data: { readyMs: sandbox.row.readyMs } });
    });
    sandbox.place?.settled();
    watchSandbox(this.#host, this.#teardown, Object.assign(sandbox, { guest }));
  }

  #elapsedMs(sandbox: LiveSandbox): number {
    return Math.round(this.#host.clock.monotonicMs() - sandbox.row.acceptedMs);
  }
}

/** Waits for all, also when one fails: nothing may still be under way when the failure is cleaned up. */
async function settleAll<Results extends readonly unknown[]>(work: {
  readonly [Index in keyof Results]: Promise<Results[Index]>;
}): Promise<Results> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as Results;
}

/** Whatever went wrong, the caller gets an error of the catalogue. */
function asCatalogueError(error: unknown): OffshootError {
  if (isOffshootError(error)) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new OffshootError('host-disk-full', { cause: error });
  return new OffshootError('internal', { cause: error });
}
