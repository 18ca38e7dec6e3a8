import { execFile } from 'node:child_process';

export interface ProgramOptions {
  /** Killed (SIGKILL) after this long; default 30 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
  env?: NodeJS.ProcessEnv;
  input?: string;
}

export interface ProgramResult {
  /** Undefined when a signal ended it, or it could not be started. */
  code: number | undefined;
  stdout: string;
  /** Why it could not be started or ran out of time is said here too. */
  stderr: string;
}

/** Runs programs to their end, without a shell. Never rejects, but for an aborted signal. */
export type RunProgram = (command: string, args: readonly string[], options?: ProgramOptions) => Promise<ProgramResult>;

const mostOutputBytes = 64 * 1024 * 1024;

export const runProgram: RunProgram = (command, args, { timeoutMs = 30_000, signal, env, input } = {}) =>
  new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: mostOutputBytes } as const;
    const options = { ...limits, ...(env === undefined ? {} : { env }), ...(signal === undefined ? {} : { signal }) };
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      if (signal?.aborted === true) {
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
        return;
      }
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      const more = code !== undefined ? '' : error?.killed === true ? notInTime(command, timeoutMs) : error?.message;
      resolve({ code, stdout, stderr: [stderr, more].filter((text) => text !== '').join('\n') });
    });
    child.stdin?.on('error', () => undefined); // it may end without reading its input
    child.stdin?.end(input ?? '');
  });

function notInTime(command: string, timeoutMs: number): string {
  return `${command} did not end within ${String(timeoutMs)} ms`;
}
