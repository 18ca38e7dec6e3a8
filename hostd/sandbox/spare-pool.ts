import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { Guest } from '../guest/guest.ts';
import type { Image } from '../guest/image/image.ts';
import type { EgressMode } from '../net/network.ts';
import type { VmShape } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import { makeVmFolder, restoreMachine, type RestoredMachine } from './restore.ts';
import type { TemplateManager } from './template/template-manager.ts';
import type { Template } from './template/template-store.ts';

const checkEveryMs = 10_000;
const warmUpMs = 10_000;

/** A restored machine that belongs to nobody yet. */
export interface Spare extends RestoredMachine {
  owner: string;
  vmDirectory: string;
  slot: number;
  egressMode: EgressMode;
  template: Template;
}

interface Making {
  templateId: string;
  egressMode: EgressMode;
  /** Somebody waits for it. */
  claimed: boolean;
  spare: Promise<Spare | undefined>;
}

interface Wanted {
  image: Image;
  shape: VmShape;
  egressMode: EgressMode;
}

/** The journal's owner of what belongs to a machine made ahead. */
export const spareOwnerPrefix = 'spare:';

/**
 * Machines restored ahead of time, for the shape asked for last: under emulation a restored guest is slow for its first
 * half second, because nothing of it is translated yet. They are made while no create is under way, get a new identity
 * when a sandbox takes them, and are given up when nobody asks, memory is short, or hostd stops.
 */
export class SparePool {
  readonly #host: HostContext;
  readonly #templates: TemplateManager;
  readonly #ready: Spare[] = [];
  readonly #making = new Set<Making>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  #wanted: Wanted | undefined;
  #wantedMs = 0;
  #creating = 0;

  constructor(host: HostContext, templates: TemplateManager) {
    this.#host = host;
    this.#templates = templates;
  }

  /** A create begins: nothing new is made until it is over. */
  begin(): void {
    this.#creating += 1;
  }

  end(wanted: Wanted | undefined): void {
    this.#creating -= 1;
    if (wanted !== undefined) {
      this.#wanted = wanted;
      this.#wantedMs = this.#host.clock.monotonicMs();
    }
    void this.#fill();
  }

  /** One that fits, ready or nearly so; it is the caller's from now on. */
  async take({ image, shape, egressMode }: Wanted): Promise<Spare | undefined> {
    const id = this.#templates.existing(image, shape)?.manifest.id;
    const index = this.#ready.findIndex(
      (spare) => spare.template.manifest.id === id && spare.egressMode === egressMode,
    );
    if (index >= 0) return this.#ready.splice(index, 1)[0];
    const making = [...this.#making].find(
      (each) => !each.claimed && each.templateId === id && each.egressMode === egressMode,
    );
    if (making === undefined) return undefined;
    making.claimed = true;
    return making.spare;
  }

  /** Gives up what is not taken: somebody needs the room. */
  async giveUp(): Promise<void> {
    this.#wanted = undefined;
    await Promise.all(this.#ready.splice(0).map((spare) => this.discard(spare)));
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#host.clock.sleep(checkEveryMs, signal).catch(() => undefined);
      const idleMs = this.#host.clock.monotonicMs() - this.#wantedMs;
      const stale = this.#ready.some(({ template }) => template.retired);
      if (stale || idleMs > this.#host.config.spareIdleMs) await this.giveUp();
      else if (this.#wanted !== undefined && !(await this.#host.admission.hasRoom(this.#wanted.shape)))
        await this.giveUp();
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new OffshootError('shutting-down'));
    await this.giveUp();
    for (const { spare } of [...this.#making]) {
      const made = await spare;
      if (made !== undefined) await this.discard(made);
    }
    await Promise.all(this.#leaving);
  }

  /** Removes a machine that was made ahead, with all that belongs to it. */
  async discard(spare: Spare): Promise<void> {
    spare.guest.disconnect();
    const leaving = this.#remove(spare, spare.template);
    this.#leaving.add(leaving);
    await leaving.finally(() => this.#leaving.delete(leaving));
  }

  async #fill(): Promise<void> {
    const { config, admission, log } = this.#host;
    const wanted = this.#wanted;
    if (wanted === undefined || config.spares === 0 || this.#creating > 0 || this.#closed.signal.aborted) return;
    const template = this.#templates.existing(wanted.image, wanted.shape);
    if (template === undefined || !(await admission.hasRoom(wanted.shape).catch(() => false))) return;
    const others = this.#ready.filter((each) => each.template !== template || each.egressMode !== wanted.egressMode);
    for (const spare of others) {
      this.#ready.splice(this.#ready.indexOf(spare), 1);
      void this.discard(spare);
    }
    while (this.#ready.length + this.#unclaimed < config.spares && this.#creating === 0 && this.#wanted === wanted) {
      const making: Making = {
        templateId: template.manifest.id,
        egressMode: wanted.egressMode,
        claimed: false,
        spare: this.#make(wanted).catch((error: unknown) => {
          log.warn({ error }, 'a machine could not be made ahead');
          return undefined;
        }),
      };
      this.#making.add(making);
      void making.spare.then((spare) => {
        this.#making.delete(making);
        if (spare !== undefined && !making.claimed && !this.#closed.signal.aborted) this.#keep(spare);
      });
    }
  }

  get #unclaimed(): number {
    return [...this.#making].filter(({ claimed }) => !claimed).length;
  }

  #keep(spare: Spare): void {
    this.#ready.push(spare);
    const lost = () => {
      const index = this.#ready.indexOf(spare);
      if (index < 0) return;
      this.#ready.splice(index, 1);
      void this.discard(spare);
    };
    void spare.vm.exited.then(lost);
    void spare.guest.closed.then(lost);
  }

  async #make({ image, shape, egressMode }: Wanted): Promise<Spare> {
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
      const { signal } = this.#closed;
      const target = { id: `spare-${id}`, owner, vmDirectory, uid, egressMode, network: made, ending: signal };
      const machine = await restoreMachine(this.#host, target, template);
      const spare = { ...machine, owner, vmDirectory, slot, egressMode, template };
      await warmUp(machine.guest).catch(async (error: unknown) => {
        machine.guest.disconnect();
        throw error;
      });
      return spare;
    } catch (error) {
      await this.#remove({ owner, vmDirectory, slot }, template);
      throw error;
    }
  }

  async #remove(parts: Pick<Spare, 'owner' | 'vmDirectory' | 'slot'>, template: Template | undefined): Promise<void> {
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
