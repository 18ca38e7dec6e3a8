import { mkdir, rm } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Guest } from '../guest/guest.ts';
import type { EgressMode, NetworkSlot } from '../net/network.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { giveTo } from '../platform/ownership.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type { Vm } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import { freshIdentity } from './ids.ts';
import type { Template } from './template/template-store.ts';

/** A machine to be: a sandbox's, or one made ahead. */
export interface RestoreTarget {
  id: string;
  /** In the journal. */
  owner: string;
  vmDirectory: string;
  uid: number;
  egressMode: EgressMode;
  network: NetworkSlot;
  /** Aborted when the machine is not wanted any more. */
  ending: AbortSignal;
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

/** Who the guest is from now on. A guest without a way out has no name server either. */
export async function identify(host: HostContext, guest: Guest, id: string, egressMode: EgressMode): Promise<void> {
  const nameserver = egressMode === 'none' ? undefined : host.network.link.gateway;
  await guest.prepareResume(freshIdentity(id, nameserver), host.config.prepareDeadlineMs);
}

/**
 * One attempt to restore a template: machine, agent, identity. What fails leaves no machine behind and throws
 * `boot-failed` with the console's last lines, or the reason why the machine is not wanted any more.
 */
export async function restoreMachine(
  host: HostContext,
  target: RestoreTarget,
  template: Template,
): Promise<RestoredMachine> {
  const { link } = host.network;
  const { netnsPath, tapName } = target.network;
  const vm = await host.vmm.start(
    {
      directory: target.vmDirectory,
      shape: template.manifest.shape,
      uid: target.uid,
      gid: host.config.vmmGid,
      network: { netnsPath, tapName, guestMac: link.guestMac, mtu: link.mtu },
      start: { kind: 'restore', snapshot: template.files },
    },
    (record) => {
      host.store.resources.update(target.owner, 'vm', target.vmDirectory, { record });
      void faultPoint('create.vm-recorded');
    },
  );
  const startedMs = host.clock.monotonicMs();
  let guest: Guest | undefined;
  try {
    await faultPoint('create.after-vm');
    guest = await connect(host, target.ending, vm);
    await faultPoint('create.after-connect');
    await identify(host, guest, target.id, target.egressMode);
    await faultPoint('create.after-prepare');
    target.ending.throwIfAborted();
    return { vm, guest, startedMs };
  } catch (cause) {
    const console = await vm.consoleTail().catch(() => '');
    guest?.disconnect();
    const exit = await vm.kill().catch(() => undefined);
    target.ending.throwIfAborted();
    throw asBootFailure(cause, exit?.consoleTail ?? console);
  }
}

async function connect(host: HostContext, ending: AbortSignal, vm: Vm): Promise<Guest> {
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
    midStream: false,
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

function asBootFailure(cause: unknown, console: string): OffshootError {
  if (isOffshootError(cause) && cause.code === 'host-disk-full') return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const details = isOffshootError(cause) ? cause.details : {};
  return new OffshootError('boot-failed', { message, details: { ...details, console }, cause });
}
