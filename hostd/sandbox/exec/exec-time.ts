import type { Clock } from '../../platform/clock.ts';
import type { LiveSandbox } from '../live-sandbox.ts';

const longestStepMs = 5_000;

/**
 * Resolves when the sandbox has run for `durationMs` more, or when the signal aborts; never rejects. Time in which it is paused does not count,
 * as it does not for the guest's own clock; neither does time in which hostd itself stood still.
 */
export async function ranFor(clock: Clock, sandbox: LiveSandbox, durationMs: number, over: AbortSignal): Promise<void> {
  let leftMs = durationMs;
  while (leftMs > 0 && !over.aborted) {
    const stepMs = Math.min(leftMs, longestStepMs);
    const ranBefore = sandbox.row.state === 'running';
    await clock.sleep(stepMs, over).catch(() => undefined);
    if (ranBefore && sandbox.row.state === 'running') leftMs -= stepMs;
  }
}
