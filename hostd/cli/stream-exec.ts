import type { ExecHandle } from '../client/exec-handle.ts';
import type { ExecInfo } from '../contract/exec.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { writeAll } from './print.ts';

export interface StreamOptions {
  from?: number;
  follow?: boolean;
  /** This process's standard input becomes the exec's. */
  forwardInput?: boolean;
  onFirstOutput?: () => void;
  signal?: AbortSignal;
}

/** Copies an exec's output to this process byte for byte until it ends, and returns how it ended. */
export async function streamExec(handle: ExecHandle, options: StreamOptions = {}): Promise<ExecInfo> {
  const feeding = options.forwardInput === true ? handle.pipeInput(process.stdin).catch(() => undefined) : undefined;
  const { from = 0, follow = true, signal } = options;
  const chunks = handle.output({ from, follow, signal });
  let first = true;
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) {
      if (feeding !== undefined) process.stdin.destroy();
      return next.value ?? (await handle.info());
    }
    if (first) options.onFirstOutput?.();
    first = false;
    await writeAll(next.value.stream === 'stdout' ? process.stdout : process.stderr, next.value.bytes);
  }
}

/** The exit code this process should end with. Says on stderr what the code alone does not tell. Throws when the exec was lost. */
export function exitCodeOf(exec: ExecInfo): number {
  if (exec.failure !== null && exec.exitCode === null) {
    const code = exec.failure.code === 'sandbox-ended' ? 'sandbox-gone' : 'guest-unresponsive';
    throw new OffshootError(code, { message: exec.failure.message });
  }
  if (exec.failure !== null) process.stderr.write(`offshoot: ${exec.failure.message} [${exec.failure.code}]\n`);
  if (exec.timedOut) process.stderr.write('offshoot: the command ran out of its time and was ended\n');
  if (exec.oomKilled) process.stderr.write('offshoot: the sandbox ran out of memory; give it more with --memory\n');
  if (exec.truncated)
    process.stderr.write('offshoot: the output was longer than this host keeps; its end is missing\n');
  return exec.exitCode ?? 0;
}
