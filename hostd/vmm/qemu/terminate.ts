import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hostBootId, isAlive, signalProcess, type ProcessIdentity } from '../../platform/process-identity.ts';
import type { VmRecord } from '../vmm.ts';
import { machineFiles } from './machine-files.ts';

export interface TerminateTimes {
  /** How long the launcher may take to kill and reap before it is killed itself. */
  politeMs: number;
  /** How long the processes may take to be gone after SIGKILL (a disk that hangs holds them). */
  goneMs: number;
}

const defaultTimes: TerminateTimes = { politeMs: 2000, goneMs: 15_000 };

/**
 * Kills what runs in a machine's folder, known to a journal or not, and resolves when it is gone. Rejects when a process outlives SIGKILL.
 * The spec goes first: a launcher that was started and has not put itself on record yet will not find it, and end.
 */
export async function terminateMachine(
  directory: string,
  record: VmRecord | undefined,
  times = defaultTimes,
): Promise<void> {
  await rm(join(directory, machineFiles.spec), { force: true });
  const launchers = dedupe([await recordedProcess(directory, machineFiles.launcherPid), await ofThisBoot(record)]);
  for (const launcher of launchers) await signalProcess(launcher, 'SIGTERM');
  if (!(await allGone(launchers, times.politeMs))) {
    for (const launcher of launchers) await signalProcess(launcher, 'SIGKILL');
  }
  // It dies with its launcher; this is for the moment in which that has not happened yet.
  const vmm = await recordedProcess(directory, machineFiles.vmmPid);
  const all = vmm === undefined ? launchers : [...launchers, vmm];
  if (vmm !== undefined) await signalProcess(vmm, 'SIGKILL');
  if (await allGone(all, times.goneMs)) return;
  const pids = all.map((process) => process.pid).join(', ');
  throw new Error(`processes ${pids} of ${directory} are still there ${String(times.goneMs)} ms after SIGKILL`);
}

/** The live-or-dead process a file of the folder names; undefined when there is no such file or it is of another boot of the host. */
export async function recordedProcess(directory: string, file: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(join(directory, file), 'utf8').catch(() => '');
  const [, pid, startTicks, bootId] = /^(\d+) (\d+) (\S+)\s*$/.exec(text) ?? [];
  if (pid === undefined || bootId !== (await hostBootId())) return undefined;
  return { pid: Number(pid), startTicks: Number(startTicks) };
}

async function ofThisBoot(record: VmRecord | undefined): Promise<ProcessIdentity | undefined> {
  return record !== undefined && record.bootId === (await hostBootId()) ? record.launcher : undefined;
}

function dedupe(identities: readonly (ProcessIdentity | undefined)[]): ProcessIdentity[] {
  const known = identities.filter((identity) => identity !== undefined);
  return known.filter(
    (identity, at) =>
      known.findIndex((other) => other.pid === identity.pid && other.startTicks === identity.startTicks) === at,
  );
}

/** Polls closely at first, as most machines are gone within some 20 ms. */
async function allGone(identities: readonly ProcessIdentity[], timeoutMs: number): Promise<boolean> {
  const began = performance.now();
  for (;;) {
    const alive = await Promise.all(identities.map(isAlive));
    if (!alive.includes(true)) return true;
    const waitedMs = performance.now() - began;
    if (waitedMs >= timeoutMs) return false;
    await new Promise((resolve) => setTimeout(resolve, waitedMs < 100 ? 2 : 25));
  }
}
