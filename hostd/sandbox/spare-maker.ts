import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Guest } from '../guest/guest.ts';
import type { Image } from '../guest/image/image.ts';
import type { EgressMode } from '../net/network.ts';
import type { VmShape } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import { makeVmFolder, restoreMachine, type RestoredMachine } from './restore.ts';
import type { TemplateManager } from './template/template-manager.ts';
import type { Template } from './template/template-store.ts';

const warmUpMs = 10_000;

/** A restored machine that belongs to nobody yet. */
export interface Spare extends RestoredMachine {
  owner: string;
  vmDirectory: string;
  slot: number;
  egressMode: EgressMode;
  template: Template;
}

export interface WantedSpare {
  image: Image;
  shape: VmShape;
  egressMode: EgressMode;
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

  /** Restored, named for the time being, and warm. Nothing of a failed making stays. */
  async make({ image, shape, egressMode }: WantedSpare): Promise<Spare> {
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
    const template = await this.#templates.acquire(image, shape).catch(() => undefined);
    try {
      if (template === undefined) throw new Error('The template is gone.');
      const [, made] = await Promise.all([
        makeVmFolder(this.#host, vmDirectory, uid),
        network.create(slot, uid, egressMode),
      ]);
      const target = { id: `spare-${id}`, owner, vmDirectory, uid, egressMode, network: made, ending: this.#closed };
      const machine = await restoreMachine(this.#host, target, template);
      const spare = { ...machine, owner, vmDirectory, slot, egressMode, template };
      await warmUp(machine.guest).catch(async (error: unknown) => {
        machine.guest.disconnect();
        throw error;
      });
      return spare;
    } catch (error) {
      await this.remove({ owner, vmDirectory, slot }, template);
      throw error;
    }
  }

  /** Removes a machine with all that belongs to it; one that resists is left to the next start of hostd. */
  async remove(parts: Pick<Spare, 'owner' | 'vmDirectory' | 'slot'>, template: Template | undefined): Promise<void> {
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
    if (template !== undefined) await this.#templates.release(template.manifest.id);
  }
}

/** Has the emulator translate what the first execs run through. */
async function warmUp(guest: Guest): Promise<void> {
  const discard = { write: () => Promise.resolve() };
  const common = { env: {}, cwd: '/workspace', user: 'root', stdin: false, timeoutMs: warmUpMs };
  for (const spec of [{ shell: 'echo' }, { argv: ['/bin/true'] }, { shell: 'echo' }]) {
    const exec = guest.exec({ ...common, ...spec }, discard);
    await exec.result;
    exec.close();
  }
}
