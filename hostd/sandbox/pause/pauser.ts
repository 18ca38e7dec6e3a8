import { OffshootError } from '../../errors/offshoot-error.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import type { Vm } from '../../vmm/vmm.ts';
import { asCatalogueError } from '../bring-up.ts';
import { standStill, thaw } from '../checkpoint/capture.ts';
import type { ExecRunner } from '../exec/exec-runner.ts';
import type { HostContext } from '../host-context.ts';
import { sameIdentity } from '../ids.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { RunningSandbox, StandingSandbox } from '../registry.ts';
import { connectGuest } from '../restore.ts';
import type { Teardown } from '../teardown.ts';
import { watchAgent, watchMachine } from '../watch.ts';
import type { Hibernation } from './hibernation.ts';

export interface PauserParts {
  host: HostContext;
  teardown: Teardown;
  execs: ExecRunner;
  hibernation: Hibernation;
}

/** Lets sandboxes stand still and run again. */
export class Pauser {
  readonly #parts: PauserParts;

  constructor(parts: PauserParts) {
    this.#parts = parts;
  }

  async pause(id: string, hibernateAfterSeconds: number | undefined): Promise<void> {
    const { host, hibernation } = this.#parts;
    const sandbox = host.registry.standing(id);
    await inTurn(sandbox, async () => {
      host.registry.standing(id);
      const afterSeconds = hibernateAfterSeconds ?? host.config.hibernateAfterSeconds;
      const hibernateAtMs = host.clock.monotonicMs() + afterSeconds * 1000;
      if (sandbox.row.state === 'running') await this.#stop(sandbox, hibernateAtMs);
      else if (hibernateAfterSeconds !== undefined) host.registry.patch(sandbox, { hibernateAtMs });
      if (afterSeconds === 0 && !sandbox.row.hibernated) await hibernation.hibernate(sandbox);
    });
    hibernation.changed();
  }

  /** Its clock is set before anything in it runs. Throws `capacity-exhausted` when the host has no room for one that was on disk. */
  async resume(id: string): Promise<void> {
    const { host } = this.#parts;
    const sandbox = host.registry.standing(id);
    await inTurn(sandbox, async () => {
      host.registry.standing(id);
      if (sandbox.row.state === 'running') return;
      const { vm } = await this.awake(sandbox);
      await this.#go(sandbox, vm);
    });
  }

  /** With a machine, as it was: one that is on disk alone is brought back, and still paused. Call it in the sandbox's turn. */
  async awake(sandbox: StandingSandbox): Promise<StandingSandbox & { vm: Vm }> {
    const { host, hibernation, teardown } = this.#parts;
    sandbox.ending.signal.throwIfAborted();
    if (sandbox.row.hibernated) {
      await hibernation.restore(sandbox);
      watchMachine(host, teardown, sandbox);
      hibernation.changed();
    }
    const { vm } = sandbox;
    if (vm === undefined) throw new OffshootError('sandbox-not-running', { details: { sandboxId: sandbox.row.id } });
    return Object.assign(sandbox, { vm });
  }

  async #stop(sandbox: LiveSandbox, hibernateAtMs: number): Promise<void> {
    const { host } = this.#parts;
    const { vm, guest } = sandbox;
    if (vm === undefined || guest === undefined) throw new OffshootError('sandbox-not-running');
    await standStill(host, sandbox, guest);
    try {
      await faultPoint('pause.after-stand-still');
      await vm.pause();
    } catch (error) {
      await vm.resume().catch(() => undefined);
      await thaw(host, sandbox, guest);
      throw error;
    }
    await faultPoint('pause.stopped');
    host.store.transaction(() => {
      host.registry.move(sandbox, 'paused', { pausedAtMs: host.clock.wallMs(), hibernateAtMs });
      host.events.append('sandbox.paused', { sandboxId: sandbox.row.id });
    });
  }

  async #go(sandbox: LiveSandbox, vm: Vm): Promise<void> {
    const { host, execs, teardown } = this.#parts;
    const known = sandbox.guest;
    let guest = known;
    try {
      await vm.resume();
      guest ??= await connectGuest(host, sandbox.ending.signal, vm, true);
      await guest.prepareResume(sameIdentity(), host.config.prepareDeadlineMs);
      await faultPoint('resume.after-prepare');
    } catch (error) {
      if (known === undefined) guest?.disconnect();
      await vm.pause().catch(() => undefined);
      throw error;
    }
    const running: RunningSandbox = Object.assign(sandbox, { guest });
    if (known === undefined) await execs.adopt(running);
    host.store.transaction(() => {
      host.registry.move(sandbox, 'running', { pausedAtMs: null, hibernateAtMs: null });
      host.events.append('sandbox.resumed', { sandboxId: sandbox.row.id });
    });
    if (known === undefined) watchAgent(host, teardown, running);
    sandbox.resumed.wake();
  }
}

/** What fails because the sandbox is being ended fails of that. */
async function inTurn(sandbox: StandingSandbox, work: () => Promise<void>): Promise<void> {
  try {
    await sandbox.turn.run(work);
  } catch (error) {
    sandbox.ending.signal.throwIfAborted();
    throw asCatalogueError(error);
  }
}
