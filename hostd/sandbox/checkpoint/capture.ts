import type { Guest } from '../../guest/guest.ts';
import type { CaptureResult, Vm, VmCapture } from '../../vmm/vmm.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import type { ExecRow } from '../../store/rows.ts';
import type { HostContext } from '../host-context.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { Checkpoint } from './checkpoint.ts';

export interface Captured {
  /** Undefined for one that was saved already, because it is on disk. */
  capture: VmCapture | undefined;
  /** How long the sandbox's processes stood still, from the first that was stopped to the last that was woken; 0 for a paused sandbox. */
  pausedMs: number;
  /** Its execs at that moment. */
  openExecs: readonly ExecRow[];
}

export interface CaptureOrder {
  checkpoint: Checkpoint;
  durable: boolean;
  signal: AbortSignal;
}

/**
 * Saves a running or paused sandbox. A running one goes on afterwards, whatever happens. Its processes are stopped inside first, so
 * that none of a copy's runs before the copy has random numbers, a clock and a name of its own.
 */
export async function captureSandbox(
  host: HostContext,
  sandbox: LiveSandbox & { vm: Vm },
  order: CaptureOrder,
): Promise<Captured> {
  const { clock, config } = host;
  const running = sandbox.row.state === 'running' ? sandbox.guest : undefined;
  if (running !== undefined && order.durable) await flush(host, sandbox, running);
  let stoppedMs = 0;
  let wokenMs = 0;
  let openExecs: readonly ExecRow[] = [];
  const capture = await sandbox.vm.capture(order.checkpoint.files, {
    wake: running !== undefined,
    durable: order.durable,
    minAvailableMiB: config.minAvailableMiB,
    signal: order.signal,
    beforeStop: async () => {
      openExecs = host.store.execs.running(sandbox.row.id);
      stoppedMs = clock.monotonicMs();
      if (running !== undefined) await standStill(host, sandbox, running);
      await faultPoint('fork.after-stand-still');
    },
    afterWake: async () => {
      if (running !== undefined) await thaw(host, sandbox, running);
      wokenMs = clock.monotonicMs();
    },
  });
  capture.complete.then(
    ({ imageMiB }: CaptureResult) => host.checkpoints.written(order.checkpoint, imageMiB),
    () => undefined,
  );
  return { capture, pausedMs: running === undefined ? 0 : wokenMs - stoppedMs, openExecs };
}

/** What the memory image will take, before it is known: a guest may have filled its memory since it was last looked at. */
export async function expectedImageMiB(host: HostContext, sandbox: LiveSandbox): Promise<number> {
  const usage = (await sandbox.vm?.usage().catch(() => undefined)) ?? sandbox.usage;
  const base = sandbox.row.checkpointId === null ? undefined : host.checkpoints.find(sandbox.row.checkpointId);
  const templateMiB = 128;
  return Math.min(sandbox.row.memoryMiB, Math.ceil(usage.residentMiB + (base?.imageMiB ?? templateMiB)));
}

const flushDeadlineMs = 5000;

/** What is kept may be booted from its disk alone: let that have what was written lately. */
async function flush(host: HostContext, sandbox: LiveSandbox, guest: Guest): Promise<void> {
  await guest.sync(flushDeadlineMs).catch((error: unknown) => {
    sandbox.ending.signal.throwIfAborted();
    host.log.warn(
      { sandboxId: sandbox.row.id, error },
      'a disk was not flushed in time; its snapshot may lack the last of it',
    );
  });
}

/** All processes inside stop where they are; those that do not in time go on. */
export async function standStill(host: HostContext, sandbox: LiveSandbox, guest: Guest): Promise<void> {
  if (!canStandStill(guest)) return;
  await guest.freezeWorkload(host.config.freezeDeadlineMs).catch((error: unknown) => {
    sandbox.ending.signal.throwIfAborted();
    host.log.warn(
      { sandboxId: sandbox.row.id, error },
      'not all processes of a sandbox stood still in time; it is copied all the same',
    );
  });
}

const thawDeadlineMs = 10_000;

/** The machine runs again; its processes must as well. */
export async function thaw(host: HostContext, sandbox: LiveSandbox, guest: Guest): Promise<void> {
  if (!canStandStill(guest)) return;
  await guest.thawWorkload(thawDeadlineMs).catch((error: unknown) => {
    if (sandbox.ending.signal.aborted) return;
    host.log.error({ sandboxId: sandbox.row.id, error }, 'the processes of a sandbox could not be woken');
  });
}

/** Not with a kernel that has no freezer. */
export function canStandStill({ hello }: Guest): boolean {
  return hello.capabilities.has('freeze-workload');
}
