import { readFile, readlink } from 'node:fs/promises';
import { z } from 'zod';

/** Names one process for good: a pid alone may be reused. */
export const processIdentitySchema = z.object({
  pid: z.int().min(1),
  /** Start time in clock ticks since boot: field 22 of /proc/PID/stat. */
  startTicks: z.int().min(0),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** The identity of a live process; undefined when there is none with this pid, or only its zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], Number(fields[19])];
  if (state === 'Z' || state === 'X' || !Number.isFinite(startTicks)) return undefined;
  return { pid, startTicks };
}

/** True while exactly this process lives. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid);
  return now?.startTicks === identity.startTicks;
}

/** Signals exactly this process; false when it is gone. */
export async function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(identity))) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Boot id of this host: a journal entry from another boot names no live process. */
export async function hostBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** The program a process runs, or undefined when it is gone. */
export async function processProgram(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${String(pid)}/exe`).catch(() => undefined);
}
