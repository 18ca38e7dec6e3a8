import { readFile } from 'node:fs/promises';
import type { VmUsage } from '../vmm.ts';

/** Ticks per second in /proc; USER_HZ is 100 on every architecture this runs on. */
const ticksPerSecond = 100;

/** What a live VMM process has used, from /proc. Rejects when it is gone. */
export async function processUsage(pid: number): Promise<VmUsage> {
  const folder = `/proc/${String(pid)}`;
  const [stat, status, rollup] = await Promise.all(
    ['stat', 'status', 'smaps_rollup'].map((name) => readFile(`${folder}/${name}`, 'utf8')),
  );
  return parseUsage(stat ?? '', status ?? '', rollup ?? '');
}

/** The same from the texts of stat, status and smaps_rollup. */
export function parseUsage(stat: string, status: string, rollup: string): VmUsage {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return {
    cpuSeconds: (userTicks + systemTicks) / ticksPerSecond,
    peakMemoryMiB: Math.ceil(kibibytes(status, 'VmHWM') / 1024),
    residentMiB: Math.ceil((kibibytes(rollup, 'Pss') + kibibytes(rollup, 'SwapPss')) / 1024),
  };
}

function kibibytes(text: string, name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text);
  return Number(match?.[1] ?? 0);
}
