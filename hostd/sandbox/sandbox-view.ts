import type { SandboxInfo } from '../contract/sandbox.ts';
import type { Clock } from '../platform/clock.ts';
import type { SandboxRow } from '../store/rows.ts';
import type { LiveSandbox } from './live-sandbox.ts';

const iso = (ms: number) => new Date(ms).toISOString();

/** What clients see of a sandbox. `live` adds what is only known while it lives. */
export function sandboxInfo(row: SandboxRow, clock: Clock, live?: LiveSandbox): SandboxInfo {
  const ended = row.state === 'gone';
  return {
    id: row.id,
    state: row.state,
    image: row.image,
    snapshot: row.snapshot,
    forkedFrom: row.forkedFrom,
    generation: row.generation,
    paused: row.pausedAtMs === null ? null : { since: iso(row.pausedAtMs), hibernated: row.hibernated },
    labels: row.labels,
    cpus: row.cpus,
    memoryMiB: row.memoryMiB,
    diskMiB: row.diskMiB,
    egress: { mode: row.egressMode, allow: row.egressAllow, revision: row.egressRevision },
    isolation: row.isolation,
    timeoutSeconds: row.timeoutSeconds,
    createdAt: iso(row.createdAtMs),
    startedAt: row.startedAtMs === null ? null : iso(row.startedAtMs),
    expiresAt: iso(ended ? row.expiresAtMs : expiresAtMs(row, clock)),
    endedAt: row.endedAtMs === null ? null : iso(row.endedAtMs),
    end: ended && row.endReason !== null ? { reason: row.endReason, message: row.endMessage ?? '' } : null,
    usage: {
      wallSeconds: ended ? row.wallSeconds : wallSeconds(row, clock),
      cpuSeconds: live?.usage.cpuSeconds ?? row.cpuSeconds,
      peakMemoryMiB: live?.usage.peakMemoryMiB ?? row.peakMemoryMiB,
    },
    timings: { queuedMs: row.queuedMs, startedMs: row.startedMs, readyMs: row.readyMs },
  };
}

/** When the lease ends, as the wall clock reads now; the lease itself is kept on the monotonic clock. */
export function expiresAtMs(row: SandboxRow, clock: Clock): number {
  return Math.round(clock.wallMs() + row.leaseDeadlineMs - clock.monotonicMs());
}

/** Seconds since the sandbox was accepted, on the monotonic clock. */
export function wallSeconds(row: SandboxRow, clock: Clock): number {
  return Math.max(0, Math.round(clock.monotonicMs() - row.acceptedMs) / 1000);
}
