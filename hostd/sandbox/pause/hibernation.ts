import { join } from 'node:path';
import { faultPoint } from '../../platform/fault-points.ts';
import { expectedImageMiB } from '../checkpoint/capture.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { DeadlineLoop, longestSleepMs } from '../deadline-loop.ts';
import { filterMadeAnew } from '../egress/count-keeper.ts';
import { slotEgress } from '../egress/egress-columns.ts';
import type { HostContext } from '../host-context.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import { startMachine } from '../restore.ts';
import type { Teardown } from '../teardown.ts';
import { watchMachine } from '../watch.ts';

const retryAfterMs = 60_000;

/** Puts paused sandboxes on disk when they have been paused for long enough, and brings them back. */
export class Hibernation {
  readonly #host: HostContext;
  readonly #teardown: Teardown;
  readonly #loop: DeadlineLoop;

  constructor(host: HostContext, teardown: Teardown) {
    this.#host = host;
    this.#teardown = teardown;
    this.#loop = new DeadlineLoop(host.clock, () => this.#hibernateDue());
  }

  /** A sandbox was paused or is no longer: look again when to wake. */
  changed(): void {
    this.#loop.changed();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  /** Memory and devices go to disk, the process ends; its disk and network stay as they are. Call it in the sandbox's turn. */
  async hibernate(sandbox: LiveSandbox): Promise<void> {
    const host = this.#host;
    const { vm } = sandbox;
    const { id } = sandbox.row;
    if (vm === undefined) return;
    const checkpoint = await host.checkpoints.begin('hibernation', await expectedImageMiB(host, sandbox));
    try {
      host.store.resources.record({ owner: id, kind: 'hibernation', name: checkpoint.id, detail: {} });
      await faultPoint('hibernate.journaled');
      await this.#letGo(sandbox);
      sandbox.vm = undefined; // its end is no news from here on
      const saved = await vm.hibernateInto(checkpoint.files);
      host.checkpoints.written(checkpoint, saved.imageMiB);
      await faultPoint('hibernate.after-save');
      this.stored(sandbox, checkpoint.id);
      await faultPoint('hibernate.stored');
    } catch (error) {
      if (!sandbox.row.hibernated) {
        sandbox.vm = vm;
        watchMachine(host, this.#teardown, sandbox); // it may have ended while nobody listened
        host.store.resources.erase(id, 'hibernation', checkpoint.id);
      }
      throw error;
    } finally {
      await host.checkpoints.unpin(checkpoint);
    }
  }

  /** The sandbox is on disk alone from here on. */
  stored(sandbox: LiveSandbox, checkpointId: string): void {
    const { store, registry, events } = this.#host;
    const { id } = sandbox.row;
    store.transaction(() => {
      registry.patch(sandbox, { hibernated: true, hibernateAtMs: null, checkpointId });
      store.resources.erase(id, 'hibernation', checkpointId);
      store.resources.update(id, 'vm', sandbox.paths.vm, {});
      events.append('sandbox.hibernated', { sandboxId: id });
    });
    sandbox.usage = { ...sandbox.usage, residentMiB: 0 };
    sandbox.place?.leave();
    sandbox.place = undefined;
  }

  /** A machine again, paused. What fails leaves the sandbox on disk. Throws `capacity-exhausted`, `boot-failed`. */
  async restore(sandbox: LiveSandbox): Promise<void> {
    const { admission, network, config, store, registry, paths, clock, vmm } = this.#host;
    const { id, slot, checkpointId, cpus, memoryMiB, diskMiB } = sandbox.row;
    if (slot === null || checkpointId === null) throw new Error('A sandbox on disk has a slot and a checkpoint.');
    const files =
      this.#host.checkpoints.find(checkpointId)?.files ?? checkpointFiles(join(paths.checkpoints, checkpointId));
    const { signal } = sandbox.ending;
    const place = await admission.enter({ shape: sandbox.row, waitSeconds: 0, signal, onQueued: () => undefined });
    const uid = config.uidBase + slot;
    try {
      const present = (await network.existing()).includes(slot);
      const made = present ? network.describe(slot) : await network.create(slot, uid, slotEgress(sandbox.row));
      if (!present) filterMadeAnew(store, id);
      const target = { id, owner: id, vmDirectory: sandbox.paths.vm, uid, network: made, ending: signal };
      const origin = {
        shape: { cpus, memoryMiB, diskMiB },
        start: { kind: 'restore', snapshot: files, overlay: 'continue' },
        copy: undefined,
      } as const;
      const vm = await startMachine(this.#host, target, origin);
      await faultPoint('resume.machine-started');
      try {
        await vm.pause();
      } catch (error) {
        await vm.kill();
        throw error;
      }
      signal.throwIfAborted();
      sandbox.vm = vm;
      sandbox.place = place;
      place.settled();
      store.transaction(() =>
        registry.patch(sandbox, {
          hibernated: false,
          hibernateAtMs: clock.monotonicMs() + config.hibernateAfterSeconds * 1000,
        }),
      );
    } catch (error) {
      place.leave();
      await vmm.destroy(sandbox.paths.vm, undefined);
      throw error;
    }
  }

  /** The channel and the outputs are closed; the agent keeps what execs write until somebody takes them up again. */
  async #letGo(sandbox: LiveSandbox): Promise<void> {
    const { guest } = sandbox;
    sandbox.guest = undefined;
    guest?.disconnect();
    const execs = [...sandbox.execs.values()];
    sandbox.execs.clear();
    for (const exec of execs) {
      exec.settled = true;
      await exec.log.release();
    }
  }

  async #hibernateDue(): Promise<number> {
    const { registry, clock, log } = this.#host;
    let sleepMs = longestSleepMs;
    for (const sandbox of registry.live) {
      const { state, hibernateAtMs } = sandbox.row;
      if (state !== 'paused' || hibernateAtMs === null || sandbox.teardown !== undefined) continue;
      const leftMs = hibernateAtMs - clock.monotonicMs();
      if (leftMs > 0) sleepMs = Math.min(sleepMs, leftMs + 1);
      else
        await sandbox.turn.run(async () => {
          if (sandbox.row.state !== 'paused' || sandbox.row.hibernateAtMs !== hibernateAtMs) return;
          await this.hibernate(sandbox).catch((error: unknown) => {
            if (sandbox.teardown !== undefined) return;
            log.warn({ sandboxId: sandbox.row.id, error }, 'a paused sandbox could not go to disk; it stays in memory');
            registry.patch(sandbox, { hibernateAtMs: clock.monotonicMs() + retryAfterMs });
          });
        });
    }
    return sleepMs;
  }
}
