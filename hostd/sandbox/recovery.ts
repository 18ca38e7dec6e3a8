import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SandboxRow } from '../store/rows.ts';
import { isMachine } from '../vmm/vmm.ts';
import type { ExecRunner } from './exec/exec-runner.ts';
import type { HostContext } from './host-context.ts';
import { liveSandbox, type Ending, type LiveSandbox } from './live-sandbox.ts';
import { sandboxPaths } from './sandbox-paths.ts';
import { spareOwnerPrefix } from './spare-maker.ts';
import { Semaphore } from './semaphore.ts';
import { liveStates } from './states.ts';
import { journaledRecord, journaledVmDirectory, type Teardown } from './teardown.ts';
import { thaw } from './checkpoint/capture.ts';
import type { Hibernation } from './pause/hibernation.ts';
import { PausedRecovery } from './pause/paused-recovery.ts';
import { readEnv } from './sandbox-env.ts';
import type { Snapshots } from './snapshot/snapshots.ts';
import type { TemplateManager } from './template/template-manager.ts';
import { endingOf, watchSandbox } from './watch.ts';

export interface RecoveryParts {
  host: HostContext;
  execs: ExecRunner;
  templates: TemplateManager;
  teardown: Teardown;
  snapshots: Snapshots;
  hibernation: Hibernation;
}

const concurrentAdoptions = 8;

/** Brings what an earlier hostd left into order, before anybody is served: adopt what lives, finish or undo what was half done, remove what nobody knows. */
export class Recovery {
  readonly #host: HostContext;
  readonly #execs: ExecRunner;
  readonly #templates: TemplateManager;
  readonly #teardown: Teardown;
  readonly #snapshots: Snapshots;
  readonly #paused: PausedRecovery;

  constructor({ host, execs, templates, teardown, snapshots, hibernation }: RecoveryParts) {
    this.#host = host;
    this.#execs = execs;
    this.#templates = templates;
    this.#teardown = teardown;
    this.#snapshots = snapshots;
    this.#paused = new PausedRecovery(host, teardown, hibernation);
  }

  async run(): Promise<void> {
    const { paths, store } = this.#host;
    for (const directory of [
      paths.root,
      paths.sandboxes,
      paths.templates,
      paths.builds,
      paths.machines,
      paths.checkpoints,
      paths.snapshots,
    ]) {
      await mkdir(directory, { recursive: true, mode: 0o711 });
    }
    const rows = store.sandboxes.inStates(liveStates);
    for (const row of rows) {
      if (row.slot !== null) this.#host.slots.adopt(row.slot);
      const own = sandboxPaths(paths, row.id);
      const vm = journaledVmDirectory(this.#host, row.id) ?? own.vm;
      this.#host.registry.add(liveSandbox(row, { ...own, vm }));
    }
    await this.#removeSpares();
    await this.#undoTemplates();
    await this.#templates.load(countTemplates(rows));
    await this.#paused.settleSaves();
    await this.#host.checkpoints.load();
    await this.#snapshots.load();
    const turns = new Semaphore(concurrentAdoptions);
    await Promise.all(this.#host.registry.live.map((sandbox) => turns.run(() => this.#settle(sandbox))));
    await this.#host.checkpoints.collect();
    await this.#sweepFolders();
    await this.#sweepNetworks();
  }

  async #settle(sandbox: LiveSandbox): Promise<void> {
    try {
      await this.#settleByState(sandbox);
    } catch (error) {
      this.#host.log.error({ sandboxId: sandbox.row.id, error }, 'a sandbox of an earlier run could not be settled');
      if (sandbox.row.state === 'creating' || sandbox.row.state === 'running' || sandbox.row.state === 'paused') {
        const ending = { reason: 'lost', message: 'It could not be taken up after a restart of hostd.' } as const;
        await this.#teardown.end(sandbox, ending).catch(() => undefined); // tried again by the janitor
      }
    }
  }

  async #settleByState(sandbox: LiveSandbox): Promise<void> {
    if (this.#unanswered(sandbox)) return this.#rollBack(sandbox);
    switch (sandbox.row.state) {
      case 'queued':
      case 'creating':
        return this.#rollBack(sandbox);
      case 'stopping':
      case 'gone':
        return this.#teardown.end(sandbox, { reason: 'stopped', message: 'Stopped by request.' });
      case 'running': {
        const ending = await this.#adopt(sandbox);
        if (ending !== undefined) await this.#teardown.end(sandbox, ending);
        return;
      }
      case 'paused': {
        const ending = await this.#paused.adopt(sandbox);
        if (ending !== undefined) await this.#teardown.end(sandbox, ending);
      }
    }
  }

  /** A copy that ran already while its fork was cut off: the same request makes all of them anew. */
  #unanswered({ row: { id, state } }: LiveSandbox): boolean {
    if (state !== 'running' && state !== 'paused') return false;
    return this.#host.store.resources.of(id).some(({ kind }) => kind === 'fork');
  }

  /** Nobody was told of it: it is as if it had never been asked for, and the same request makes it anew. */
  async #rollBack(sandbox: LiveSandbox): Promise<void> {
    const { store } = this.#host;
    const { id } = sandbox.row;
    this.#host.log.info({ sandboxId: id }, 'undoing a create that was cut off');
    if (sandbox.row.state === 'queued') this.#host.registry.drop(id);
    else await this.#teardown.end(sandbox, { reason: 'create-failed', message: 'hostd ended while it was created.' });
    await rm(sandbox.paths.directory, { recursive: true, force: true });
    store.sandboxes.delete(id);
  }

  /** Undefined when it was taken up; else why it ended. */
  async #adopt(sandbox: LiveSandbox): Promise<Ending | undefined> {
    const { bootId, vmm, clock, guests, config, admission } = this.#host;
    const { row } = sandbox;
    if (row.bootId !== bootId) return { reason: 'host-rebooted', message: 'The host was restarted.' };
    const record = journaledRecord(this.#host, row.id);
    const found = record === undefined ? undefined : await vmm.adopt(record);
    if (found === undefined) return { reason: 'lost', message: 'Its machine was gone when hostd came back.' };
    if (!isMachine(found)) {
      sandbox.usage = { ...sandbox.usage, cpuSeconds: found.cpuSeconds, peakMemoryMiB: found.peakMemoryMiB };
      return endingOf(found);
    }
    sandbox.vm = found;
    if (row.leaseDeadlineMs <= clock.monotonicMs()) {
      return { reason: 'lease-expired', message: 'Its lease ended while hostd was away.' };
    }
    sandbox.env = await readEnv(sandbox.paths.env);
    sandbox.place = admission.adopt(row);
    await found.resume(); // a fork or a pause may have been cut off
    const guest = await guests.connect({
      socketPath: found.agentSocketPath,
      midStream: true,
      helloTimeoutMs: config.adoptDeadlineMs,
    });
    await thaw(this.#host, sandbox, guest);
    const running = Object.assign(sandbox, { guest });
    await this.#execs.adopt(running);
    watchSandbox(this.#host, this.#teardown, running);
    this.#host.log.info({ sandboxId: row.id, execs: sandbox.execs.size }, 'a sandbox was taken up');
    return undefined;
  }

  /** Machines made ahead that nobody had taken; their networks go with the others nobody knows. */
  async #removeSpares(): Promise<void> {
    const { store, vmm } = this.#host;
    const spares = store.resources.all().filter(({ owner }) => owner.startsWith(spareOwnerPrefix));
    for (const { owner, kind, name } of spares) {
      if (kind === 'network-slot') await this.#host.network.remove(Number(name));
      if (kind !== 'vm') continue;
      await vmm.destroy(name, undefined);
      await rm(name, { recursive: true, force: true });
      store.resources.eraseAll(owner);
    }
  }

  /** Templates whose making was cut off. */
  async #undoTemplates(): Promise<void> {
    const { store, paths, vmm } = this.#host;
    for (const { owner, name } of store.resources.all().filter(({ kind }) => kind === 'build-directory')) {
      await vmm.destroy(join(paths.builds, name), undefined);
      await rm(join(paths.builds, name), { recursive: true, force: true });
      store.transaction(() => {
        for (const part of store.resources.of(owner)) {
          if (part.kind !== 'template') store.resources.erase(owner, part.kind, part.name);
        }
      });
    }
  }

  /** Folders that no row knows: what a power cut took from the database, or a sweep cut short. */
  async #sweepFolders(): Promise<void> {
    const { paths, store, vmm } = this.#host;
    const strays = async (directory: string, known: (name: string) => boolean) => {
      for (const name of (await readdir(directory)).filter((each) => !known(each))) {
        this.#host.log.warn({ directory: join(directory, name) }, 'removing a folder that nothing knows');
        const vmDirectory = directory === paths.sandboxes ? join(directory, name, 'vm') : join(directory, name);
        await vmm.destroy(vmDirectory, undefined);
        await rm(join(directory, name), { recursive: true, force: true });
      }
    };
    await strays(paths.sandboxes, (name) => store.sandboxes.get(basename(name)) !== undefined);
    await strays(paths.builds, () => false);
    const taken = new Set(this.#host.registry.live.map((sandbox) => sandbox.paths.vm));
    await strays(paths.machines, (name) => taken.has(join(paths.machines, name)));
  }

  async #sweepNetworks(): Promise<void> {
    const { network, registry } = this.#host;
    const known = new Set(registry.live.map(({ row }) => row.slot));
    for (const slot of await network.existing()) if (!known.has(slot)) await network.remove(slot);
  }
}

function countTemplates(rows: readonly SandboxRow[]): Map<string, number> {
  const users = new Map<string, number>();
  for (const { templateId } of rows) {
    if (templateId !== null) users.set(templateId, (users.get(templateId) ?? 0) + 1);
  }
  return users;
}
