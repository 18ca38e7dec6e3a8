import { spawn, type ChildProcess } from 'node:child_process';

export interface RunOptions {
  input?: string | Buffer;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Killed (SIGKILL) after this long; default 30 s. */
  timeoutMs?: number;
  /** Called with each line of stdout and stderr as it comes. */
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}

export interface RunResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Starts other programs to their end; the one place that does, with a fake for tests. Arguments are never joined into a shell line. */
export interface Runner {
  /** Resolves whatever the exit code; rejects only when the program can't be started or ran out of time. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
}

/** Thrown by `runChecked` for a non-zero exit. */
export class CommandError extends Error {
  readonly command: string;
  readonly result: RunResult;

  constructor(command: string, args: readonly string[], result: RunResult) {
    const how = result.signal === null ? `exit code ${String(result.code)}` : `signal ${result.signal}`;
    super(`${[command, ...args].join(' ')}: ${how}: ${result.stderr.trim().slice(-2000)}`);
    this.name = 'CommandError';
    this.command = command;
    this.result = result;
  }
}

/** Runs a program that has to succeed. */
export async function runChecked(
  runner: Runner,
  command: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<RunResult> {
  const result = await runner.run(command, args, options);
  if (result.code !== 0) throw new CommandError(command, args, result);
  return result;
}

export const systemRunner: Runner = {
  run: (command, args, options = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: options.cwd,
        env: options.env ?? process.env,
        stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        ...(options.signal === undefined ? {} : { signal: options.signal, killSignal: 'SIGKILL' }),
      });
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${command} did not end within ${String(options.timeoutMs ?? 30_000)} ms`));
      }, options.timeoutMs ?? 30_000);
      const stdout = collect(child.stdout, options.onLine);
      const stderr = collect(child.stderr, options.onLine);
      child.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        resolve({ code, signal, stdout: stdout(), stderr: stderr() });
      });
      feed(child, options.input);
    }),
};

function feed(child: ChildProcess, input: string | Buffer | undefined): void {
  if (input === undefined || child.stdin === null) return;
  child.stdin.on('error', () => undefined); // the program may end without reading its input
  child.stdin.end(input);
}

function collect(stream: NodeJS.ReadableStream | null, onLine: ((line: string) => void) | undefined): () => string {
  const chunks: Buffer[] = [];
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (onLine === undefined) return;
    const lines = (rest + chunk.toString('utf8')).split(/[\r\n]+/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
  stream?.on('end', () => {
    if (onLine !== undefined && rest !== '') onLine(rest);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
