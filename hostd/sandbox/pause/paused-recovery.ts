import { join } from 'node:path';
import { isMachine } from '../../vmm/vmm.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { HostContext } from '../host-context.ts';
import type { Ending, LiveSandbox } from '../live-sandbox.ts';
import { readEnv } from '../sandbox-env.ts';
import { expiresAtMs } from '../sandbox-view.ts';
import { journaledRecord, type Teardown } from '../teardown.ts';
import { endingOf, watchMachine } from '../watch.ts';
import type { Hibernation } from './hibernation.ts';

/** Takes up what an earlier hostd had paused. */
export class PausedRecovery {
  readonly #host: HostContext;
  readonly #teardown: Teardown;
  readonly #hibernation: Hibernation;

  constructor(host: HostContext, teardown: Teardown, hibernation: Hibernation) {
    this.#host = host;
    this.#teardown = teardown;
    this.#hibernation = hibernation;
  }

  /** Saves that were cut off: one that is whole and whose machine is gone counts, another never was. */
  async settleSaves(): Promise<void> {
    const { store, paths, vmm } = this.#host;
    for (const sandbox of this.#host.registry.live) {
      const { id } = sandbox.row;
      for (const { name } of store.resources.of(id).filter(({ kind }) => kind === 'hibernation')) {
        const record = journaledRecord(this.#host, id);
        const found = record === undefined ? undefined : await vmm.adopt(record);
        if (found !== undefined && isMachine(found)) found.release();
        else if (
          sandbox.row.state === 'paused' &&
          (await vmm.isWhole(checkpointFiles(join(paths.checkpoints, name))))
        ) {
          this.#hibernation.stored(sandbox, name);
        }
        store.resources.erase(id, 'hibernation', name);
      }
    }
  }

  /** It still stands still, in memory or on disk. Undefined when it was taken up; else why it ended. */
  async adopt(sandbox: LiveSandbox): Promise<Ending | undefined> {
    const { bootId, vmm, clock, admission, registry } = this.#host;
    const { row } = sandbox;
    if (row.bootId !== bootId) {
      if (!row.hibernated)
        return { reason: 'host-rebooted', message: 'The host was restarted while it was paused in memory.' };
      this.#countAnew(sandbox);
    }
    if (sandbox.row.leaseDeadlineMs <= clock.monotonicMs()) {
      return { reason: 'lease-expired', message: 'Its lease ended while hostd was away.' };
    }
    sandbox.env = await readEnv(sandbox.paths.env);
    const record = journaledRecord(this.#host, row.id);
    if (row.hibernated) {
      // A machine here was being brought back, and nobody was told of it.
      await vmm.destroy(sandbox.paths.vm, record);
      return undefined;
    }
    const found = record === undefined ? undefined : await vmm.adopt(record);
    if (found === undefined) return { reason: 'lost', message: 'Its machine was gone when hostd came back.' };
    if (!isMachine(found)) return endingOf(found);
    sandbox.vm = found;
    await found.pause();
    sandbox.place = admission.adopt(row);
    if (row.hibernateAtMs === null) registry.patch(sandbox, { hibernateAtMs: clock.monotonicMs() });
    watchMachine(this.#host, this.#teardown, sandbox);
    return undefined;
  }

  /** The monotonic clock began anew with the host: what was left of the lease by the wall clock is left now. */
  #countAnew(sandbox: LiveSandbox): void {
    const { bootId, clock, registry } = this.#host;
    const { row } = sandbox;
    const onThisClock = (wallMs: number) => clock.monotonicMs() + wallMs - clock.wallMs();
    const leaseDeadlineMs = onThisClock(row.expiresAtMs);
    const acceptedMs = onThisClock(row.createdAtMs);
    const ends = expiresAtMs({ ...row, leaseDeadlineMs }, clock);
    registry.patch(sandbox, { bootId, leaseDeadlineMs, acceptedMs, expiresAtMs: ends });
  }
}
