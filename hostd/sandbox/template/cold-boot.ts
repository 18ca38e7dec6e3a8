import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Guest } from '../../guest/guest.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { Vm, VmLaunch, Vmm, VmRecord } from '../../vmm/vmm.ts';
import type { HostContext } from '../host-context.ts';

export interface BootedMachine {
  vm: Vm;
  guest: Guest;
}

const consolePollMs = 1000;

/**
 * Boots a machine and waits for its agent. Throws `boot-failed` with the console's last lines when the machine ends,
 * the agent does not answer in time, or the console stays silent: some boots under emulation hang before their first
 * line (microvm-boot hang, seen in about 4 % without a known TSC frequency). Given up when `ending` aborts, or hostd goes.
 */
export async function coldBoot(
  host: HostContext,
  vmm: Vmm,
  launch: VmLaunch,
  onRecord: (record: VmRecord) => void,
  ending = host.closing.signal,
): Promise<BootedMachine> {
  const vm = await vmm.start(launch, onRecord);
  const attempt = new AbortController();
  const failure = (why: string) => new OffshootError('boot-failed', { message: why });
  void vm.exited.then(() => attempt.abort(failure('The machine ended before its agent answered.')));
  const giveUp = AbortSignal.any([ending, host.closing.signal]);
  const onGivenUp = () => attempt.abort(giveUp.reason);
  giveUp.addEventListener('abort', onGivenUp);
  if (giveUp.aborted) onGivenUp();
  const watchdog = watchConsole(host, vm, attempt.signal).then((silent) => {
    if (silent) attempt.abort(failure(`The machine wrote nothing for ${String(host.config.silentBootMs)} ms.`));
  });
  try {
    const connecting = host.guests.connect({
      socketPath: vm.agentSocketPath,
      midStream: false,
      helloTimeoutMs: host.config.bootDeadlineMs,
      signal: attempt.signal,
    });
    const guest = await untilAborted(attempt.signal, connecting, (late) => late.disconnect());
    return { vm, guest };
  } catch (cause) {
    const console = await vm.consoleTail().catch(() => '');
    await vm.kill();
    giveUp.throwIfAborted();
    const reason = attempt.signal.aborted ? (attempt.signal.reason as Error) : cause;
    throw new OffshootError('boot-failed', {
      message: reason instanceof Error ? reason.message : 'The machine did not boot.',
      details: { console },
      cause,
    });
  } finally {
    attempt.abort();
    giveUp.removeEventListener('abort', onGivenUp);
    await watchdog;
  }
}

/** True when nothing was written to the console within the time; false once something was, or when it no longer matters. */
async function watchConsole(host: HostContext, vm: Vm, over: AbortSignal): Promise<boolean> {
  const deadlineMs = host.clock.monotonicMs() + host.config.silentBootMs;
  while (!over.aborted) {
    if ((await vm.consoleTail().catch(() => '')) !== '') return false;
    if (host.clock.monotonicMs() >= deadlineMs) return true;
    await host.clock.sleep(consolePollMs, over).catch(() => undefined);
  }
  return false;
}
