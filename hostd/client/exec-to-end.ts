import type { Readable } from 'node:stream';
import type { CreateExecInput } from '../contract/exec.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { ExecHandle } from './exec-handle.ts';
import { collectOutput, type ExecResult, type OutputHandlers } from './exec-result.ts';

export interface SpawnOptions extends Omit<CreateExecInput, 'argv' | 'shell' | 'stdin'> {
  /** Leave standard input open for `write` and `pipeInput`; default false. */
  stdin?: boolean;
}

export interface ExecOptions extends Omit<SpawnOptions, 'stdin' | 'pty'>, OutputHandlers {
  /** All of the program's standard input. */
  input?: string | Buffer | Readable;
  /** Throw `command-failed` unless it exits with 0; default false. */
  check?: boolean;
  /** Kills the exec when it fires. */
  signal?: AbortSignal;
}

/** Starts a command, feeds it and follows it to its end. */
export async function execToEnd(
  spawn: (options: SpawnOptions) => Promise<ExecHandle>,
  command: string | readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  const { input, check, signal, onStdout, onStderr, maxOutputBytes, ...request } = options;
  const handle = await spawn({ ...request, stdin: input !== undefined });
  const stop = (): void => void handle.kill('SIGKILL').catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const feeding = input === undefined ? undefined : feed(handle, input);
    const result = await collectOutput(handle, { onStdout, onStderr, maxOutputBytes });
    await feeding;
    if (signal?.aborted === true) throw new OffshootError('aborted', { details: { execId: handle.id } });
    if (check === true && result.exitCode !== 0) throw commandFailed(command, result);
    return result;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

async function feed(handle: ExecHandle, input: string | Buffer | Readable): Promise<void> {
  const whole = typeof input === 'string' || Buffer.isBuffer(input);
  await handle.pipeInput(whole ? toAsync(input) : input);
}

async function* toAsync(input: string | Buffer): AsyncGenerator<string | Buffer> {
  yield input;
}

function commandFailed(command: string | readonly string[], result: ExecResult): OffshootError {
  const text = typeof command === 'string' ? command : command.join(' ');
  const how = result.signal === null ? `exit code ${String(result.exitCode)}` : result.signal;
  return new OffshootError('command-failed', {
    message: `${text.slice(0, 200)} failed: ${how}${result.timedOut ? ' (timed out)' : ''}`,
    details: { ...result, stdout: result.stdout.slice(-65_536), stderr: result.stderr.slice(-65_536) },
  });
}
