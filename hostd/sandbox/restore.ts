import { mkdir, rm } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Guest } from '../guest/guest.ts';
import type { NetworkSlot } from '../net/network.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { giveTo } from '../platform/ownership.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type { Vm } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import { freshIdentity } from './ids.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import type { Template } from './template/template-store.ts';

/** The VMM's own folder, empty, for a sandbox in this slot. */
export async function makeVmFolder(host: HostContext, sandbox: LiveSandbox, uid: number): Promise<void> {
  await rm(sandbox.paths.vm, { recursive: true, force: true });
  await mkdir(sandbox.paths.vm, { recursive: true, mode: 0o711 });
  await giveTo(sandbox.paths.vm, uid, host.config.vmmGid);
}

/**
 * One attempt to restore a template as this sandbox: machine, agent, identity. What fails leaves no machine behind and
 * throws `boot-failed` with the console's last lines, or the reason why the sandbox is to end.
 */
export async function restoreSandbox(
  host: HostContext,
  sandbox: LiveSandbox,
  template: Template,
  network: NetworkSlot,
  uid: number,
): Promise<{ vm: Vm; guest: Guest; startedMs: number }> {
  const { link } = host.network;
  const vm = await host.vmm.start(
    {
      directory: sandbox.paths.vm,
      shape: template.manifest.shape,
      uid,
      gid: host.config.vmmGid,
      network: { netnsPath: network.netnsPath, tapName: network.tapName, guestMac: link.guestMac, mtu: link.mtu },
      start: { kind: 'restore', snapshot: template.files },
    },
    (record) => {
      host.store.resources.update(sandbox.row.id, 'vm', sandbox.paths.vm, { record });
      void faultPoint('create.vm-recorded');
    },
  );
  const startedMs = host.clock.monotonicMs();
  let guest: Guest | undefined;
  try {
    await faultPoint('create.after-vm');
    guest = await connect(host, sandbox, vm);
    await faultPoint('create.after-connect');
    const nameserver = sandbox.row.egressMode === 'none' ? undefined : link.gateway;
    await guest.prepareResume(freshIdentity(sandbox.row.id, nameserver), host.config.prepareDeadlineMs);
    await faultPoint('create.after-prepare');
    sandbox.ending.signal.throwIfAborted();
    return { vm, guest, startedMs };
  } catch (cause) {
    const console = await vm.consoleTail().catch(() => '');
    guest?.disconnect();
    const exit = await vm.kill().catch(() => undefined);
    sandbox.ending.signal.throwIfAborted();
    throw asBootFailure(cause, exit?.consoleTail ?? console);
  }
}

async function connect(host: HostContext, sandbox: LiveSandbox, vm: Vm): Promise<Guest> {
  const attempt = new AbortController();
  const onEnding = () => attempt.abort(sandbox.ending.signal.reason);
  sandbox.ending.signal.addEventListener('abort', onEnding);
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
    sandbox.ending.signal.removeEventListener('abort', onEnding);
  }
}

function asBootFailure(cause: unknown, console: string): OffshootError {
  if (isOffshootError(cause) && cause.code === 'host-disk-full') return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const details = isOffshootError(cause) ? cause.details : {};
  return new OffshootError('boot-failed', { message, details: { ...details, console }, cause });
}
