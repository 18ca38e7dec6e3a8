import { spawn } from 'node:child_process';
import { identifyProcess, type ProcessIdentity } from '../../platform/process-identity.ts';

export interface StartedLauncher {
  launcher: ProcessIdentity;
  vmm: ProcessIdentity;
  /** Resolves when the launcher ended; only its starter can know without looking again and again. */
  ended: Promise<void>;
  /** Lets this process end without it. */
  forget(): void;
}

/** The launcher refused or failed, in its own words. */
export class LauncherError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LauncherError';
  }
}

/**
 * Starts `launcher DIRECTORY` in a session of its own, with nothing of this process but a pipe for its one line of answer.
 * `onIdentity` is called as soon as the process exists. Rejects with LauncherError, or an Error when it says nothing in time.
 */
export async function startLauncher(
  program: string,
  directory: string,
  onIdentity: (identity: ProcessIdentity) => void,
  timeoutMs = 10_000,
): Promise<StartedLauncher> {
  const child = spawn(program, [directory], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: {}, cwd: '/' });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const answer = firstLine(child.stdout, timeoutMs);
  answer.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  try {
    const launcher = child.pid === undefined ? undefined : await identifyProcess(child.pid);
    if (launcher !== undefined) onIdentity(launcher);
    const line = await answer;
    const ready = /^ready (\d+) (\d+) (\d+) (\d+)$/.exec(line);
    if (ready === null) throw new LauncherError(line.replace(/^failed /, '') || 'the launcher ended without a word');
    const [, pid, ticks, vmmPid, vmmTicks] = ready.map(Number);
    return { launcher: identity(pid, ticks), vmm: identity(vmmPid, vmmTicks), ended, forget: () => child.unref() };
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  }
}

function identity(pid = 0, startTicks = 0): ProcessIdentity {
  return { pid, startTicks };
}

function firstLine(stream: NodeJS.ReadableStream & { destroy(): void }, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = () => {
      clearTimeout(timer);
      stream.destroy();
      resolve(text.split('\n')[0] ?? '');
    };
    const timer = setTimeout(() => {
      stream.destroy();
      reject(new Error(`the launcher did not answer within ${String(timeoutMs)} ms`));
    }, timeoutMs);
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) finish();
    });
    stream.on('end', finish);
    stream.on('error', finish);
  });
}
