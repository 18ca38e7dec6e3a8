import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Image } from '../guest/image/image.ts';
import type { NetworkSlot } from '../net/network.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { giveTo } from '../platform/ownership.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type { HostContext } from './host-context.ts';
import type { CreationOrder } from './creation-order.ts';
import { elapsedMs, Entrance } from './entrance.ts';
import type { Idempotency } from './idempotency.ts';
import { newSandboxRow } from './creation-order.ts';
import { liveSandbox, type LiveSandbox } from './live-sandbox.ts';
import { identify, makeVmFolder, restoreMachine, type RestoredMachine } from './restore.ts';
import { sandboxPaths } from './sandbox-paths.ts';
import type { Spare } from './spare-maker.ts';
import type { SparePool } from './spare-pool.ts';
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
  readonly #spares: SparePool;
  readonly #entrance: Entrance;

  constructor(
    host: HostContext,
    templates: TemplateManager,
    teardown: Teardown,
    idempotency: Idempotency,
    spares: SparePool,
  ) {
    this.#host = host;
    this.#spares = spares;
    this.#entrance = new Entrance(host, spares);
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
    this.#spares.begin();
    sandbox.creation = this.#bringUp(order, sandbox, image);
    const { egressMode } = row;
    await sandbox.creation.then(
      () => this.#spares.end({ image, shape, egressMode }),
      (error: unknown) => {
        this.#spares.end(undefined);
        throw error;
      },
    );
  }

  async #bringUp(order: CreationOrder, sandbox: LiveSandbox, image: Image): Promise<void> {
    const spare = await this.#entrance.enter(order, sandbox, image);
    try {
      await faultPoint('create.journaled');
      const machine = (spare && (await this.#useSpare(sandbox, spare))) ?? (await this.#build(sandbox, image));
      sandbox.vm = machine.vm;
      sandbox.guest = machine.guest;
      this.#announce(order, sandbox, machine.startedMs);
      await faultPoint('create.running');
    } catch (error) {
      const ended = sandbox.ending.signal.aborted && !this.#host.stopping;
      if (!ended) this.#host.log.warn({ sandboxId: order.id, error }, 'a sandbox could not be created');
      const message = error instanceof Error ? error.message : String(error);
      const reason = ended ? 'stopped' : 'create-failed';
      await this.#teardown.end(sandbox, { reason, message: ended ? 'Stopped while it was created.' : message });
      throw asCatalogueError(error);
    }
  }

  /** Gives a spare machine its identity. Undefined when that fails: then the sandbox is built as if there had been none. */
  async #useSpare(sandbox: LiveSandbox, spare: Spare): Promise<RestoredMachine | undefined> {
    const { store, log, clock } = this.#host;
    const { id, egressMode } = sandbox.row;
    const startedMs = clock.monotonicMs();
    sandbox.vm = spare.vm;
    sandbox.guest = spare.guest;
    const [prepared, folders] = await Promise.allSettled([
      untilAborted(sandbox.ending.signal, identify(this.#host, spare.guest, id, egressMode)),
      this.#makeFolder(sandbox),
    ]);
    if (folders.status === 'rejected') throw folders.reason;
    sandbox.ending.signal.throwIfAborted();
    await faultPoint('create.after-prepare');
    if (prepared.status === 'fulfilled') return { vm: spare.vm, guest: spare.guest, startedMs };
    log.warn({ sandboxId: id, error: prepared.reason as unknown }, 'a spare machine did not answer');
    spare.guest.disconnect();
    await this.#host.vmm.destroy(spare.vmDirectory, spare.vm.record);
    await rm(spare.vmDirectory, { recursive: true, force: true });
    sandbox.vm = undefined;
    sandbox.guest = undefined;
    sandbox.paths = sandboxPaths(this.#host.paths, id);
    store.transaction(() => {
      store.resources.erase(id, 'vm', spare.vmDirectory);
      store.resources.record({ owner: id, kind: 'vm', name: sandbox.paths.vm, detail: {} });
    });
    sandbox.row = { ...sandbox.row, templateId: null };
    await this.#templates.release(spare.template.manifest.id);
    return undefined;
  }

  async #build(sandbox: LiveSandbox, image: Image): Promise<RestoredMachine> {
    const { slot, egressMode } = sandbox.row;
    if (slot === null) throw new Error('A sandbox without a slot can not be built.');
    const uid = this.#host.config.uidBase + slot;
    const [, network, template] = await settleAll([
      this.#makeFolder(sandbox)
        .then(() => makeVmFolder(this.#host, sandbox.paths.vm, uid))
        .then(() => faultPoint('create.after-directory')),
      this.#host.network.create(slot, uid, egressMode).then(async (made) => {
        await faultPoint('create.after-network');
        return made;
      }),
      this.#acquire(sandbox, image),
    ] as const);
    return this.#restore(sandbox, image, template, network, uid);
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

  async #makeFolder(sandbox: LiveSandbox): Promise<void> {
    const { directory, env } = sandbox.paths;
    await mkdir(directory, { recursive: true, mode: 0o711 });
    await giveTo(directory, 0, this.#host.config.vmmGid);
    if (Object.keys(sandbox.env).length > 0) await writeFile(env, JSON.stringify(sandbox.env), { mode: 0o600 });
  }

  /** Restores, once more when it fails, and from a new template when the old one does not work at all. */
  async #restore(sandbox: LiveSandbox, image: Image, first: Template, network: NetworkSlot, uid: number) {
    const { id, egressMode } = sandbox.row;
    const ending = sandbox.ending.signal;
    const target = { id, owner: id, vmDirectory: sandbox.paths.vm, uid, egressMode, network, ending };
    for (let template = first; ;) {
      try {
        const machine = await restoreMachine(this.#host, target, template);
        this.#templates.restoreWorked(template);
        return machine;
      } catch (error) {
        if (!isOffshootError(error) || error.code !== 'boot-failed') throw error;
        if (!(await this.#templates.restoreFailed(template))) throw error;
        this.#host.log.warn({ sandboxId: sandbox.row.id, error }, 'a restore failed; trying once more');
        await this.#host.vmm.destroy(sandbox.paths.vm, undefined);
        await makeVmFolder(this.#host, sandbox.paths.vm, uid);
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
        readyMs: elapsedMs(this.#host, sandbox),
      });
      if (order.keyed !== undefined) this.#idempotency.succeeded(order.keyed, row.id);
      store.counters.add('sandboxes_created', 1);
      events.append('sandbox.running', { sandboxId: row.id, data: { readyMs: sandbox.row.readyMs } });
    });
    sandbox.place?.settled();
    watchSandbox(this.#host, this.#teardown, Object.assign(sandbox, { guest }));
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
