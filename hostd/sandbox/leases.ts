import { DeadlineLoop, longestSleepMs } from './deadline-loop.ts';
import type { HostContext } from './host-context.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import { expiresAtMs } from './sandbox-view.ts';
import type { Teardown } from './teardown.ts';

/**
 * Ends sandboxes whose lease is over. Leases are deadlines on the monotonic clock, which counts from the host's boot:
 * setting the wall clock changes nothing, and another hostd of the same boot reads them as they are.
 */
export class Leases {
  readonly #host: HostContext;
  readonly #teardown: Teardown;
  readonly #loop: DeadlineLoop;

  constructor(host: HostContext, teardown: Teardown) {
    this.#host = host;
    this.#teardown = teardown;
    this.#loop = new DeadlineLoop(host.clock, () => this.#expire());
  }

  /** From now; never shortens a lease unless told to. */
  renew(sandbox: LiveSandbox, timeoutSeconds: number, shorten: boolean): void {
    const { clock, store, registry, events } = this.#host;
    const deadlineMs = clock.monotonicMs() + timeoutSeconds * 1000;
    if (deadlineMs < sandbox.row.leaseDeadlineMs && !shorten) return;
    store.transaction(() => {
      const leased = { leaseDeadlineMs: deadlineMs, timeoutSeconds };
      registry.patch(sandbox, { ...leased, expiresAtMs: expiresAtMs({ ...sandbox.row, ...leased }, clock) });
      events.append('sandbox.renewed', { sandboxId: sandbox.row.id, data: { timeoutSeconds } });
    });
    this.changed();
  }

  /** A lease began or moved: look again when to wake. */
  changed(): void {
    this.#loop.changed();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  /** Ends what is over; the time until the next one is. */
  #expire(): number {
    const nowMs = this.#host.clock.monotonicMs();
    let sleepMs = longestSleepMs;
    for (const sandbox of this.#host.registry.live) {
      const { state, leaseDeadlineMs, timeoutSeconds } = sandbox.row;
      if ((state !== 'running' && state !== 'paused') || sandbox.teardown !== undefined) continue;
      if (leaseDeadlineMs <= nowMs) {
        const message = `Its lease of ${String(timeoutSeconds)} s was not renewed.`;
        this.#teardown.end(sandbox, { reason: 'lease-expired', message }).catch(() => undefined); // logged there
      } else {
        sleepMs = Math.min(sleepMs, leaseDeadlineMs - nowMs + 1);
      }
    }
    return sleepMs;
  }
}
