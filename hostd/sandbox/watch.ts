import type { EndReason } from '../contract/sandbox.ts';
import type { VmExit } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import type { Ending, LiveSandbox } from './live-sandbox.ts';
import type { RunningSandbox } from './registry.ts';
import type { Teardown } from './teardown.ts';

const reasons: Readonly<Record<VmExit['cause'], EndReason>> = {
  'killed-by-us': 'lost',
  'guest-panic': 'guest-panicked',
  'guest-shutdown': 'guest-shutdown',
  'vmm-crashed': 'vmm-crashed',
  'vmm-killed': 'vmm-killed',
  unknown: 'lost',
};

const messages: Readonly<Record<VmExit['cause'], string>> = {
  'killed-by-us': 'The machine was ended outside of a stop.',
  'guest-panic': 'The kernel in the sandbox panicked.',
  'guest-shutdown': 'The sandbox powered itself off.',
  'vmm-crashed': 'The VMM crashed.',
  'vmm-killed': 'The VMM was killed by something outside of Offshoot, perhaps for want of memory.',
  unknown: 'The machine ended and nothing tells why.',
};

/** What an end that nobody asked for is called. */
export function endingOf(exit: VmExit): Ending {
  return { reason: reasons[exit.cause], message: messages[exit.cause] };
}

/** Ends a sandbox when its machine or its agent is gone by itself; not one whose machine or agent hostd has let go of. */
export function watchSandbox(host: HostContext, teardown: Teardown, sandbox: RunningSandbox): void {
  watchMachine(host, teardown, sandbox);
  watchAgent(host, teardown, sandbox);
}

export function watchMachine(host: HostContext, teardown: Teardown, sandbox: LiveSandbox): void {
  const { vm } = sandbox;
  void vm?.exited.then((exit) => {
    if (sandbox.vm === vm) endByItself(host, teardown, sandbox, endingOf(exit));
  });
}

export function watchAgent(host: HostContext, teardown: Teardown, sandbox: RunningSandbox): void {
  const { guest } = sandbox;
  void guest.closed.then(async (why) => {
    if (why === 'disconnected') return;
    if (why === 'protocol') {
      const message = 'The agent in the sandbox broke the protocol.';
      endByItself(host, teardown, sandbox, { reason: 'guest-protocol', message });
      return;
    }
    // The machine's own end tells more than the channel's: give it a moment to be known.
    await host.clock.sleep(host.config.agentLossMs, sandbox.ending.signal).catch(() => undefined);
    if (sandbox.guest === guest)
      endByItself(host, teardown, sandbox, { reason: 'lost', message: 'The agent in the sandbox is gone.' });
  });
}

function endByItself(host: HostContext, teardown: Teardown, sandbox: LiveSandbox, ending: Ending): void {
  const { state } = sandbox.row;
  if (host.stopping || sandbox.teardown !== undefined || (state !== 'running' && state !== 'paused')) return;
  host.log.warn({ sandboxId: sandbox.row.id, ...ending }, 'a sandbox ended by itself');
  teardown.end(sandbox, ending).catch(() => undefined); // logged there, and tried again
}
