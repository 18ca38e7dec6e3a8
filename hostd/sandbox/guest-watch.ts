import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { HostContext } from './host-context.ts';
import type { RunningSandbox } from './registry.ts';

/** Two in a row, since one may meet a pause. */
const missedPings = 2;

/**
 * Calls `onSilent` once, with `guest-unresponsive`, when the guest has answered nothing for `guestSilenceMs`, until `over` aborts. A guest that is
 * slow at its work still answers pings. A paused sandbox is not asked.
 */
export async function watchGuest(
  host: HostContext,
  sandbox: RunningSandbox,
  over: AbortSignal,
  onSilent: (error: OffshootError) => void,
): Promise<void> {
  const { guestSilenceMs } = host.config;
  const askMs = Math.ceil(guestSilenceMs / (missedPings + 1));
  const { guest } = sandbox;
  const isRunning = () => sandbox.row.state === 'running' && sandbox.guest === guest;
  for (let missed = 0; missed < missedPings;) {
    if (missed === 0) await host.clock.sleep(askMs, over).catch(() => undefined);
    if (over.aborted) return;
    const answers = !isRunning() || (await answered(guest.ping(askMs)));
    missed = answers || !isRunning() ? 0 : missed + 1;
  }
  if (over.aborted) return;
  onSilent(
    new OffshootError('guest-unresponsive', {
      message: `The sandbox ${sandbox.row.id} has answered nothing for ${String(guestSilenceMs)} ms.`,
      details: { reason: 'timeout', timeoutMs: guestSilenceMs },
    }),
  );
}

async function answered(ping: Promise<void>): Promise<boolean> {
  return ping.then(
    () => true,
    // A channel that is closed for good tells all that wait on it by itself.
    (error: unknown) => !isOffshootError(error) || error.code !== 'guest-unresponsive',
  );
}
