import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identifyProcess,
  isAlive,
  processIdentitySchema,
  type ProcessIdentity,
} from '../../hostd/platform/process-identity.ts';

const pollMs = 100;

/**
 * Lets one process of a session at a time print and merge: the runner's stop of commands is one for a step, so that the end of one script would open
 * the log for commands of another. What a process that died has left is taken over.
 */
export async function takeTurn(sessionFile: string, signal: AbortSignal): Promise<AsyncDisposable> {
  const file = `${sessionFile}.lock`;
  const self = await identifyProcess(process.pid);
  if (self === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  while (!(await claim(file, self))) {
    const holder = await holderOf(file);
    if (holder !== undefined && !(await isAlive(holder))) await rm(file, { force: true });
    else await sleep(pollMs, undefined, { signal });
  }
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

async function claim(file: string, self: ProcessIdentity): Promise<boolean> {
  return writeFile(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/** Undefined also while it is being written. */
async function holderOf(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return processIdentitySchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
