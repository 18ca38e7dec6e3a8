import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Image } from '../guest/image/image.ts';
import type { NetworkSlot } from '../net/network.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { settleAll } from '../platform/settle-all.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import { announceRunning, asCatalogueError, makeSandboxFolder } from './bring-up.ts';
import {
  defaultImage,
  defaultShape,
  newSandboxRow,
  type CreationOrder,
  type CreationOrigin,
} from './creation-order.ts';
import { slotEgress } from './egress/egress-columns.ts';
import { inheritPins, keptPins } from './egress/pins.ts';
import { Entrance } from './entrance.ts';
import type { HostContext } from './host-context.ts';
import type { Idempotency } from './idempotency.ts';
import { liveSandbox, type LiveSandbox } from './live-sandbox.ts';
import { makeVmFolder, restoreMachine, type RestoredMachine, type RestoreTarget } from './restore.ts';
import { sandboxPaths } from './sandbox-paths.ts';
import { roundShape } from './shape.ts';
import { bootSnapshotDisk, restoreSnapshot } from './snapshot/snapshot-start.ts';
import type { KeptSnapshot, Snapshots } from './snapshot/snapshots.ts';
import type { SparePool } from './spare-pool.ts';
import { takeSpare } from './spare-take.ts';
import type { Teardown } from './teardown.ts';
import type { TemplateManager } from './template/template-manager.ts';
import type { Template } from './template/template-store.ts';
import { watchSandbox } from './watch.ts';

export interface CreationParts {
  host: HostContext;
  templates: TemplateManager;
  snapshots: Snapshots;
  teardown: Teardown;
  idempotency: Idempotency;
  spares: SparePool;
}

/** The way of a sandbox from the request to running. */
export class Creation {
  readonly #host: HostContext;
  readonly #parts: CreationParts;
  readonly #entrance: Entrance;

  constructor(parts: CreationParts) {
    this.#host = parts.host;
    this.#parts = parts;
    this.#entrance = new Entrance(parts.host, parts.spares);
  }

  /** Resolves when the sandbox runs; a create that fails leaves nothing but its tombstone. */
  async run(order: CreationOrder): Promise<void> {
    const { spares } = this.#parts;
    const acceptedMs = this.#host.clock.monotonicMs();
    const origin = await this.#origin(order);
    const kept = origin.kind === 'snapshot' ? origin.snapshot : undefined;
    if (kept !== undefined) kept.pins += 1;
    try {
      if (kept !== undefined) await this.#verify(kept, order.request.bootDisk);
      const row = newSandboxRow(this.#host, order, origin, acceptedMs);
      const sandbox = liveSandbox(row, sandboxPaths(this.#host.paths, order.id));
      sandbox.env = order.request.env;
      this.#host.registry.add(sandbox);
      spares.begin();
      sandbox.creation = this.#bringUp(order, sandbox, origin);
      await sandbox.creation.then(
        () => spares.end({ origin, egress: row }),
        (error: unknown) => {
          spares.end(undefined);
          throw error;
        },
      );
    } finally {
      if (kept !== undefined) kept.pins -= 1;
    }
  }

  async #origin({ request }: CreationOrder): Promise<CreationOrigin> {
    const { images, admission, vmm } = this.#host;
    if (request.snapshot !== undefined) {
      const snapshot = this.#parts.snapshots.get(request.snapshot);
      const { shape, name } = snapshot.manifest;
      const { ok, reason } = this.#parts.snapshots.restorable(snapshot);
      if (!ok && !request.bootDisk) {
        throw new OffshootError('snapshot-not-restorable', {
          message: `The snapshot ${name} can not be restored here: ${reason}.`,
          details: { name, reason },
        });
      }
      return { kind: 'snapshot', snapshot, bootDisk: request.bootDisk, shape };
    }
    const [image, { limits }] = await Promise.all([
      images.current(request.image ?? defaultImage),
      admission.capacity(),
    ]);
    const cpus = Math.min(limits.cpus, vmm.features.maxCpus);
    const { cpus: wantedCpus, memoryMiB, diskMiB } = request;
    const wanted = {
      cpus: wantedCpus ?? defaultShape.cpus,
      memoryMiB: memoryMiB ?? defaultShape.memoryMiB,
      diskMiB: diskMiB ?? defaultShape.diskMiB,
    };
    return { kind: 'image', image, shape: roundShape(wanted, image.manifest, { ...limits, cpus }) };
  }

  #verify(kept: KeptSnapshot, diskAlone: boolean): Promise<void> {
    const { snapshots } = this.#parts;
    return diskAlone ? snapshots.verifyDisk(kept) : snapshots.verify(kept);
  }

  async #bringUp(order: CreationOrder, sandbox: LiveSandbox, origin: CreationOrigin): Promise<void> {
    const { idempotency, teardown, templates } = this.#parts;
    const spare = await this.#entrance.enter(order, sandbox, origin);
    try {
      await faultPoint('create.journaled');
      const taken = spare && (await takeSpare(this.#host, templates, sandbox, { spare, origin }));
      const machine = taken ?? (await this.#build(sandbox, origin));
      sandbox.vm = machine.vm;
      sandbox.guest = machine.guest;
      announceRunning(this.#host, sandbox, machine.startedMs, () => {
        if (order.keyed !== undefined) idempotency.succeeded(order.keyed, sandbox.row.id);
      });
      watchSandbox(this.#host, teardown, Object.assign(sandbox, { guest: machine.guest }));
      await faultPoint('create.running');
    } catch (error) {
      const ended = sandbox.ending.signal.aborted && !this.#host.stopping;
      if (!ended) this.#host.log.warn({ sandboxId: order.id, error }, 'a sandbox could not be created');
      const message = error instanceof Error ? error.message : String(error);
      const reason = ended ? 'stopped' : 'create-failed';
      await teardown.end(sandbox, { reason, message: ended ? 'Stopped while it was created.' : message });
      throw asCatalogueError(error);
    }
  }

  async #build(sandbox: LiveSandbox, origin: CreationOrigin): Promise<RestoredMachine> {
    const { slot } = sandbox.row;
    if (slot === null) throw new Error('A sandbox without a slot can not be built.');
    const uid = this.#host.config.uidBase + slot;
    const [, network, template] = await settleAll([
      makeSandboxFolder(this.#host, sandbox)
        .then(() => makeVmFolder(this.#host, sandbox.paths.vm, uid))
        .then(() => faultPoint('create.after-directory')),
      this.#host.network.create(slot, uid, slotEgress(sandbox.row)).then(async (made) => {
        if (origin.kind === 'snapshot')
          await inheritPins(this.#host, sandbox.row, keptPins(this.#host, origin.snapshot));
        await faultPoint('create.after-network');
        return made;
      }),
      origin.kind === 'image' ? this.#acquire(sandbox, origin.image) : Promise.resolve(undefined),
    ] as const);
    const target = this.#target(sandbox, network, uid);
    if (origin.kind === 'snapshot') {
      const start = { snapshot: origin.snapshot, generation: sandbox.row.generation, target };
      if (origin.bootDisk) return bootSnapshotDisk(this.#host, start);
      return restoreSnapshot(this.#host, this.#parts.snapshots, start);
    }
    if (template === undefined) throw new Error('A sandbox of an image needs a template.');
    return this.#restoreTemplate(sandbox, origin.image, template, target);
  }

  #target(sandbox: LiveSandbox, network: NetworkSlot, uid: number): RestoreTarget {
    const { id } = sandbox.row;
    const ending = sandbox.ending.signal;
    return { id, owner: id, vmDirectory: sandbox.paths.vm, uid, network, ending };
  }

  /** The sandbox holds its template until it is gone, or gives up waiting for it when it is to end. */
  async #acquire(sandbox: LiveSandbox, image: Image): Promise<Template> {
    const { cpus, memoryMiB, diskMiB } = sandbox.row;
    const { templates } = this.#parts;
    const giveBack = (template: Template) => void templates.release(template.manifest.id);
    const acquiring = templates.acquire(image, { cpus, memoryMiB, diskMiB });
    const template = await untilAborted(sandbox.ending.signal, acquiring, giveBack);
    sandbox.row = { ...sandbox.row, templateId: template.manifest.id };
    return template;
  }

  /** Restores, once more when it fails, and from a new template when the old one does not work at all. */
  async #restoreTemplate(sandbox: LiveSandbox, image: Image, first: Template, target: RestoreTarget) {
    const { templates } = this.#parts;
    for (let template = first; ;) {
      try {
        const { manifest, files } = template;
        const start = { kind: 'restore', snapshot: files } as const;
        const machine = await restoreMachine(this.#host, target, { shape: manifest.shape, start, copy: undefined });
        templates.restoreWorked(template);
        return machine;
      } catch (error) {
        if (!isOffshootError(error) || error.code !== 'boot-failed') throw error;
        if (!(await templates.restoreFailed(template))) throw error;
        this.#host.log.warn({ sandboxId: sandbox.row.id, error }, 'a restore failed; trying once more');
        await this.#host.vmm.destroy(sandbox.paths.vm, undefined);
        await makeVmFolder(this.#host, sandbox.paths.vm, target.uid);
        if (!template.retired) continue;
        await templates.release(template.manifest.id);
        sandbox.row = { ...sandbox.row, templateId: null };
        template = await this.#acquire(sandbox, image);
      }
    }
  }
}
