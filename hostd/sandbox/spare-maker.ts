import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Guest } from '../guest/guest.ts';
import type { CreationOrigin } from './creation-order.ts';
import { ownerlessEgress, type EgressColumns } from './egress/egress-columns.ts';
import type { HostContext } from './host-context.ts';
import {
  connectGuest,
  makeVmFolder,
  restoreMachine,
  startMachine,
  withMachine,
  type RestoredMachine,
  type RestoreTarget,
} from './restore.ts';
import type { KeptSnapshot } from './snapshot/snapshots.ts';
import type { TemplateManager } from './template/template-manager.ts';
import type { Template } from './template/template-store.ts';

const warmUpMs = 10_000;

/** A restored machine that belongs to nobody yet. */
export interface Spare extends RestoredMachine {
  owner: string;
  vmDirectory: string;
  slot: number;
  /** What its slot's rules were made for. */
  egress: WantedSpare['egress'];
  /** The id of the template or snapshot it was restored from. */
  originId: string;
  template: Template | undefined;
  snapshot: KeptSnapshot | undefined;
  /** Its software has had a life. */
  copied: boolean;
}

export interface WantedSpare {
  origin: CreationOrigin;
  /** Of the sandbox asked for last: a next one of the same policy need not wait for its rules. */
  egress: Pick<EgressColumns, 'egressMode' | 'egressAllow'>;
}

/** The journal's owner of what belongs to a machine made ahead. */
export const spareOwnerPrefix = 'spare:';

/** Makes machines ahead of time and removes those that nobody took. */
export class SpareMaker {
  readonly #host: HostContext;
  readonly #templates: TemplateManager;
  readonly #closed: AbortSignal;

  constructor(host: HostContext, templates: TemplateManager, closed: AbortSignal) {
    this.#host = host;
    this.#templates = templates;
    this.#closed = closed;
  }

  /** Restored and standing still; from a template also named for the time being, and warm. Nothing of a failed making stays. */
  async make({ origin, egress }: WantedSpare): Promise<Spare> {
    const { store, slots, config, network, paths } = this.#host;
    const slot = slots.take();
    const id = ulid();
    const owner = `${spareOwnerPrefix}${id}`;
    const vmDirectory = join(paths.machines, id);
    store.transaction(() => {
      store.resources.record({ owner, kind: 'network-slot', name: String(slot), detail: { slot } });
      store.resources.record({ owner, kind: 'vm', name: vmDirectory, detail: {} });
    });
    const uid = config.uidBase + slot;
    const snapshot = origin.kind === 'snapshot' ? origin.snapshot : undefined;
    if (snapshot !== undefined) snapshot.pins += 1;
    const template =
      origin.kind === 'image'
        ? await this.#templates.acquire(origin.image, origin.shape).catch(() => undefined)
        : undefined;
    const parts = { owner, vmDirectory, slot, egress, template, snapshot };
    try {
      const [, made] = await Promise.all([
        makeVmFolder(this.#host, vmDirectory, uid),
        network.create(slot, uid, ownerlessEgress(egress)),
      ]);
      const target = { id: `spare-${id}`, owner, vmDirectory, uid, network: made, ending: this.#closed };
      if (snapshot !== undefined) {
        const machine = await this.#ofSnapshot(target, snapshot);
        return { ...machine, ...parts, originId: snapshot.manifest.id, copied: true };
      }
      if (template === undefined) throw new Error('The template is gone.');
      const machine = await this.#ofTemplate(target, template);
      return { ...machine, ...parts, originId: template.manifest.id, copied: false };
    } catch (error) {
      await this.remove(parts);
      throw error;
    }
  }

  /** Removes a machine with all that belongs to it; one that resists is left to the next start of hostd. */
  async remove(parts: Pick<Spare, 'owner' | 'vmDirectory' | 'slot' | 'template' | 'snapshot'>): Promise<void> {
    const { vmm, network, store, slots, log } = this.#host;
    try {
      await vmm.destroy(parts.vmDirectory, undefined);
      await Promise.all([network.remove(parts.slot), rm(parts.vmDirectory, { recursive: true, force: true })]);
      store.resources.eraseAll(parts.owner);
      slots.free(parts.slot);
    } catch (error) {
      // Its slot stays taken and the journal has it: the next start of hostd removes it.
      log.error({ error, owner: parts.owner }, 'a machine made ahead could not be removed');
    }
    if (parts.template !== undefined) await this.#templates.release(parts.template.manifest.id);
    if (parts.snapshot !== undefined) parts.snapshot.pins -= 1;
  }

  async #ofTemplate(target: RestoreTarget, { manifest, files }: Template): Promise<RestoredMachine> {
    const start = { kind: 'restore', snapshot: files } as const;
    const machine = await restoreMachine(this.#host, target, { shape: manifest.shape, start, copy: undefined });
    try {
      await warmUp(machine.guest);
      await machine.vm.pause();
      return machine;
    } catch (error) {
      machine.guest.disconnect();
      throw error;
    }
  }

  /** Its processes were stopped when it was saved and stay so: they belong to whoever takes it. */
  async #ofSnapshot(target: RestoreTarget, { manifest, files }: KeptSnapshot): Promise<RestoredMachine> {
    const start = { kind: 'restore', snapshot: files } as const;
    const copy = { generation: manifest.generation + 1 };
    const vm = await startMachine(this.#host, target, { shape: manifest.shape, start, copy });
    const startedMs = this.#host.clock.monotonicMs();
    return withMachine(vm, target.ending, async () => {
      const guest = await connectGuest(this.#host, target.ending, vm, true);
      await vm.pause();
      return { vm, guest, startedMs };
    });
  }
}

/** Has the emulator translate what the first execs run through. */
async function warmUp(guest: Guest): Promise<void> {
  const discard = { write: () => Promise.resolve() };
  const common = { env: {}, cwd: '/workspace', user: 'root', stdin: false, timeoutMs: warmUpMs };
  const programs = [['true'], ['echo', 'ready'], ['env'], ['cat', '/dev/null'], ['bash', '-c', ':']];
  const specs = [{ shell: 'echo ready' }, ...programs.map((argv) => ({ argv })), { shell: 'echo ready' }];
  for (const spec of specs) {
    const exec = guest.exec({ ...common, ...spec }, discard);
    await exec.result;
    exec.close();
  }
}
