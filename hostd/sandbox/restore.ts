import { mkdir, rm } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Guest } from '../guest/guest.ts';
import type { NetworkSlot } from '../net/network.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { giveTo } from '../platform/ownership.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type { RestoreStart, Vm, VmShape } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import { freshIdentity } from './ids.ts';

/** A machine to be: a sandbox's, or one made ahead. */
export interface RestoreTarget {
  id: string;
  /** In the journal. */
  owner: string;
  vmDirectory: string;
  uid: number;
  network: NetworkSlot;
  /** Aborted when the machine is not wanted any more. */
  ending: AbortSignal;
}

/** What a machine is restored from. */
export interface RestoreOrigin {
  shape: VmShape;
  start: RestoreStart;
  /** Of a machine that had a life: its agent may be in the middle of a frame, and its software is told of the copy. */
  copy: CopyFacts | undefined;
}

export interface CopyFacts {
  generation: number;
}

export interface RestoredMachine {
  vm: Vm;
  guest: Guest;
  /** Monotonic. */
  startedMs: number;
}

/** The VMM's own folder, empty. */
export async function makeVmFolder(host: HostContext, directory: string, uid: number): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o711 });
  await giveTo(directory, uid, host.config.vmmGid);
}

/** Who the guest is from now on. */
export async function identify(
  host: HostContext,
  guest: Guest,
  target: Pick<RestoreTarget, 'id'>,
  copy?: CopyFacts,
): Promise<void> {
  const identity = freshIdentity(
    target.id,
    host.network.link.gateway,
    copy && { generation: copy.generation, copied: true },
  );
  await guest.prepareResume(identity, host.config.prepareDeadlineMs);
}

/**
 * One attempt to restore: machine, agent, identity. What fails leaves no machine behind and throws `boot-failed` with the
 * console's last lines, the error of the capture it waits for, or the reason why the machine is not wanted any more.
 */
export async function restoreMachine(
  host: HostContext,
  target: RestoreTarget,
  origin: RestoreOrigin,
): Promise<RestoredMachine> {
  const vm = await startMachine(host, target, origin);
  const startedMs = host.clock.monotonicMs();
  return withMachine(vm, target.ending, async () => {
    await faultPoint('create.after-vm');
    const guest = await connectGuest(host, target.ending, vm, origin.copy !== undefined);
    try {
      await faultPoint('create.after-connect');
      await identify(host, guest, target, origin.copy);
      await faultPoint('create.after-prepare');
      target.ending.throwIfAborted();
      return { vm, guest, startedMs };
    } catch (error) {
      guest.disconnect();
      throw error;
    }
  });
}

/** Starts the VMM; its record is in the journal before it resolves. */
export async function startMachine(host: HostContext, target: RestoreTarget, origin: RestoreOrigin): Promise<Vm> {
  const { link } = host.network;
  const { netnsPath, tapName } = target.network;
  return host.vmm.start(
    {
      directory: target.vmDirectory,
      shape: origin.shape,
      uid: target.uid,
      gid: host.config.vmmGid,
      network: { netnsPath, tapName, guestMac: link.guestMac, mtu: link.mtu },
      start: origin.start,
    },
    (record) => {
      host.store.resources.update(target.owner, 'vm', target.vmDirectory, { record });
      void faultPoint('create.vm-recorded');
    },
  );
}

/** Does what is to be done with a machine just started; a failure kills it and becomes `boot-failed` with its console. */
export async function withMachine<Result>(vm: Vm, ending: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const console = await vm.consoleTail().catch(() => '');
    const exit = await vm.kill().catch(() => undefined);
    ending.throwIfAborted();
    throw asBootFailure(cause, exit?.consoleTail ?? console);
  }
}

/** The agent of a machine; the end of the machine ends the wait. */
export async function connectGuest(host: HostContext, ending: AbortSignal, vm: Vm, midStream: boolean): Promise<Guest> {
  const attempt = new AbortController();
  const onEnding = () => attempt.abort(ending.reason);
  ending.addEventListener('abort', onEnding);
  let connected = false;
  void vm.exited.then((exit) => {
    if (connected) return;
    attempt.abort(
      new OffshootError('boot-failed', { message: `The machine ended before it answered: ${exit.cause}.` }),
    );
  });
  const connecting = host.guests.connect({
    socketPath: vm.agentSocketPath,
    midStream,
    helloTimeoutMs: host.config.restoreDeadlineMs,
    signal: attempt.signal,
  });
  try {
    return await untilAborted(attempt.signal, connecting, (guest) => guest.disconnect());
  } finally {
    connected = true;
    ending.removeEventListener('abort', onEnding);
  }
}

const keptCodes: readonly string[] = ['host-disk-full', 'capacity-exhausted', 'freeze-failed', 'aborted'];

function asBootFailure(cause: unknown, console: string): OffshootError {
  if (isOffshootError(cause) && keptCodes.includes(cause.code)) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const details = isOffshootError(cause) ? cause.details : {};
  return new OffshootError('boot-failed', { message, details: { ...details, console }, cause });
}
