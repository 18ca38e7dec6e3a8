import { OffshootError } from '../errors/offshoot-error.ts';
import type { HostContext } from './host-context.ts';
import { SpareMaker, type Spare, type WantedSpare } from './spare-maker.ts';
import type { TemplateManager } from './template/template-manager.ts';

const checkEveryMs = 10_000;

interface Making {
  originId: string;
  /** Somebody waits for it. */
  claimed: boolean;
  spare: Promise<Spare | undefined>;
}

/**
 * Machines restored ahead of time, for the shape asked for last: under emulation a restored guest is slow for its first
 * half second, because nothing of it is translated yet. They are made while no create is under way, get a new identity
 * when a sandbox takes them, and are given up when nobody asks, memory is short, or hostd stops.
 */
export class SparePool {
  readonly #host: HostContext;
  readonly #templates: TemplateManager;
  readonly #maker: SpareMaker;
  readonly #ready: Spare[] = [];
  readonly #making = new Set<Making>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  #wanted: WantedSpare | undefined;
  #wantedMs = 0;
  #creating = 0;

  constructor(host: HostContext, templates: TemplateManager) {
    this.#host = host;
    this.#templates = templates;
    this.#maker = new SpareMaker(host, templates, this.#closed.signal);
  }

  /** A create begins: nothing new is made until it is over. */
  begin(): void {
    this.#creating += 1;
  }

  end(wanted: WantedSpare | undefined): void {
    this.#creating -= 1;
    if (wanted !== undefined) {
      this.#wanted = wanted;
      this.#wantedMs = this.#host.clock.monotonicMs();
    }
    void this.#fillLater();
  }

  /** One that fits, ready or nearly so; it is the caller's from now on. */
  async take(wanted: Pick<WantedSpare, 'origin'>): Promise<Spare | undefined> {
    const id = this.#originId(wanted);
    const index = this.#ready.findIndex((spare) => spare.originId === id);
    const ready = index < 0 ? undefined : this.#ready.splice(index, 1)[0];
    if (ready !== undefined) return leave(ready);
    const making = [...this.#making].find((each) => !each.claimed && each.originId === id);
    if (making === undefined) return undefined;
    making.claimed = true;
    const made = await making.spare;
    return made && leave(made);
  }

  /** What a machine for it is restored from; undefined when that is not there, or is not to be restored. */
  #originId({ origin }: Pick<WantedSpare, 'origin'>): string | undefined {
    if (origin.kind === 'image') return this.#templates.existing(origin.image, origin.shape)?.manifest.id;
    return origin.bootDisk ? undefined : origin.snapshot.manifest.id;
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
      const stale = this.#ready.some(({ template }) => template?.retired === true);
      if (stale || idleMs > this.#host.config.spareIdleMs) await this.giveUp();
      else if (this.#wanted !== undefined && !(await this.#host.admission.hasRoom(this.#wanted.origin.shape)))
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
    const leaving = this.#maker.remove(spare);
    this.#leaving.add(leaving);
    await leaving.finally(() => this.#leaving.delete(leaving));
  }

  /** The first commands of the sandbox just made come first: on a small host a machine in the making would slow them. */
  async #fillLater(): Promise<void> {
    const { config, clock } = this.#host;
    const asked = this.#wantedMs;
    if (config.spareDelayMs > 0) await clock.sleep(config.spareDelayMs, this.#closed.signal).catch(() => undefined);
    if (this.#wantedMs === asked) await this.#fill();
  }

  async #fill(): Promise<void> {
    const { config, admission, log } = this.#host;
    const wanted = this.#wanted;
    if (wanted === undefined || config.spares === 0 || this.#creating > 0 || this.#closed.signal.aborted) return;
    const originId = this.#originId(wanted);
    if (originId === undefined || !(await admission.hasRoom(wanted.origin.shape).catch(() => false))) return;
    const others = this.#ready.filter((each) => each.originId !== originId);
    for (const spare of others) {
      this.#ready.splice(this.#ready.indexOf(spare), 1);
      void this.discard(spare);
    }
    while (this.#ready.length + this.#unclaimed < config.spares && this.#creating === 0 && this.#wanted === wanted) {
      const making: Making = {
        originId,
        claimed: false,
        spare: this.#maker.make(wanted).catch((error: unknown) => {
          if (!this.#closed.signal.aborted) log.warn({ error }, 'a machine could not be made ahead');
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
}

/** It becomes a sandbox's: the sandbox's row holds the snapshot from here on. */
function leave(spare: Spare): Spare {
  if (spare.snapshot !== undefined) spare.snapshot.pins -= 1;
  return { ...spare, snapshot: undefined };
}
