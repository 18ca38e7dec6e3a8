import type { EndReason } from '../contract/sandbox.ts';
import type { VmExit } from '../vmm/vmm.ts';
import type { HostContext } from './host-context.ts';
import type { Ending } from './live-sandbox.ts';
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

/** Ends a running sandbox when its machine or its agent is gone by itself. */
export function watchSandbox(host: HostContext, teardown: Teardown, sandbox: RunningSandbox): void {
  const end = (ending: Ending) => {
    if (host.stopping || sandbox.teardown !== undefined || sandbox.row.state !== 'running') return;
    host.log.warn({ sandboxId: sandbox.row.id, ...ending }, 'a sandbox ended by itself');
    teardown.end(sandbox, ending).catch(() => undefined); // logged there, and tried again
  };
  void sandbox.vm?.exited.then((exit) => end(endingOf(exit)));
  void sandbox.guest.closed.then(async (why) => {
    if (why === 'disconnected') return;
    if (why === 'protocol') {
      end({ reason: 'guest-protocol', message: 'The agent in the sandbox broke the protocol.' });
      return;
    }
    // The machine's own end tells more than the channel's: give it a moment to be known.
    await host.clock.sleep(host.config.agentLossMs, sandbox.ending.signal).catch(() => undefined);
    end({ reason: 'lost', message: 'The agent in the sandbox is gone.' });
  });
}
