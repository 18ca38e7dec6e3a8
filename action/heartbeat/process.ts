import { readFileSync } from 'node:fs';

/** A process that can't be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** Field 22 of /proc/PID/stat (proc(5)): clock ticks after boot. */
  startTicks: string;
}

/** Undefined when there is none, or this is not Linux. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // the name in brackets may hold anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    return startTicks === undefined || state === 'Z' || state === 'X' ? undefined : { pid, startTicks };
  } catch {
    return undefined;
  }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTicks === identity.startTicks;
}

/** Ends it, if it is still that one. */
export function endProcess(identity: ProcessIdentity): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, 'SIGTERM');
  } catch {
    // it ended by itself meanwhile
  }
}
