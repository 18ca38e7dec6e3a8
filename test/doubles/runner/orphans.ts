import { readdir, readFile } from 'node:fs/promises';

/** Processes of a job that outlive it, found as the runner finds them: by a variable that every step's process got. */
export const trackingVariable = 'RUNNER_TRACKING_ID';

export interface Orphan {
  pid: number;
  commandLine: string;
}

export async function findTracked(trackingId: string): Promise<Orphan[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => describe(pid, trackingId)));
  return found.filter((orphan) => orphan !== undefined);
}

/** Kills them and says what they were. */
export async function killTracked(trackingId: string): Promise<string[]> {
  const orphans = await findTracked(trackingId);
  for (const { pid } of orphans) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended by itself meanwhile
    }
  }
  return orphans.map(({ commandLine }) => commandLine);
}

async function describe(pid: number, trackingId: string): Promise<Orphan | undefined> {
  if (pid === process.pid) return undefined;
  const environ = await readFile(`/proc/${String(pid)}/environ`, 'utf8').catch(() => '');
  if (!environ.split('\0').includes(`${trackingVariable}=${trackingId}`)) return undefined;
  const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
  return commandLine === '' ? undefined : { pid, commandLine: commandLine.replaceAll('\0', ' ').trim() };
}
