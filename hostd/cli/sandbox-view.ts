import type { SandboxInfo } from '../contract/sandbox.ts';
import { policyRows } from './egress-view.ts';
import { milliseconds, shortDuration, table } from './print.ts';

const header = ['ID', 'STATE', 'FROM', 'GEN', 'CPUS', 'MEMORY', 'ISOLATION', 'AGE', 'EXPIRES', 'LABELS'];

/** One line for each sandbox. */
export function sandboxTable(sandboxes: readonly SandboxInfo[], nowMs: number = Date.now()): string {
  return table(
    header,
    sandboxes.map((info) => row(info, nowMs)),
  );
}

/** Everything about a sandbox, for people. */
export function describeSandbox(info: SandboxInfo): string {
  const rows = [
    ['state', info.end === null ? stateOf(info) : `${info.state}: ${info.end.reason}: ${info.end.message}`],
    ['image', info.image],
    ...(info.snapshot === null ? [] : [['snapshot', info.snapshot]]),
    ...(info.forkedFrom === null ? [] : [['forked from', info.forkedFrom]]),
    ['generation', String(info.generation)],
    ...(info.paused === null ? [] : [['paused since', info.paused.since]]),
    ['size', `${String(info.cpus)} CPU, ${String(info.memoryMiB)} MiB memory, ${String(info.diskMiB)} MiB disk`],
    ['isolation', `${info.isolation.tier}: ${info.isolation.reason}`],
    ...policyRows(info.egress, `offshoot sandbox firewall show ${info.id}`),
    ['created', info.createdAt],
    [info.endedAt === null ? 'expires' : 'ended', info.endedAt ?? info.expiresAt],
    ['labels', JSON.stringify(info.labels)],
    [
      'used',
      `${info.usage.wallSeconds.toFixed(1)} s, ${info.usage.cpuSeconds.toFixed(1)} CPU s, ${info.usage.peakMemoryMiB.toFixed(0)} MiB peak`,
    ],
    ['queued', milliseconds(info.timings.queuedMs)],
    ['ready after', milliseconds(info.timings.readyMs)],
  ];
  return table([info.id, ''], rows);
}

function row(info: SandboxInfo, nowMs: number): string[] {
  const left = info.endedAt === null ? shortDuration((Date.parse(info.expiresAt) - nowMs) / 1000) : '-';
  return [
    info.id,
    info.end === null ? stateOf(info) : `${info.state} (${info.end.reason})`,
    originOf(info),
    String(info.generation),
    String(info.cpus),
    `${String(info.memoryMiB)} MiB`,
    info.isolation.tier,
    shortDuration((nowMs - Date.parse(info.createdAt)) / 1000),
    left,
    Object.entries(info.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  ];
}

/** The sandbox, snapshot or image that it started from. */
function originOf(info: SandboxInfo): string {
  if (info.forkedFrom !== null) return info.forkedFrom;
  return info.snapshot === null ? info.image : `snapshot ${info.snapshot}`;
}

function stateOf(info: SandboxInfo): string {
  return info.paused?.hibernated === true ? `${info.state} (hibernated)` : info.state;
}
