import type { Readable } from 'node:stream';
import { ulid } from 'ulid';
import { execListSchema, execSchema, type CreateExecInput, type ExecInfo } from '../contract/exec.ts';
import { sandboxListSchema, sandboxSchema, type CreateSandboxInput, type SandboxInfo } from '../contract/sandbox.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { ExecHandle } from './exec-handle.ts';
import { collectOutput, type ExecResult, type OutputHandlers } from './exec-result.ts';
import { SandboxFiles } from './sandbox-files.ts';
import { readText, Transport, type ConnectionOptions } from './transport.ts';

export type CreateOptions = Omit<CreateSandboxInput, 'egress'> & {
  egress?: { mode: 'open' | 'none' };
  /** The same key answers the same sandbox; another request under it is refused. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  connection?: ConnectionOptions;
};

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

/**
 * A microVM of one hostd.
 *
 * @example
 * await using sandbox = await Sandbox.create({ memoryMiB: 1024 });
 * const { exitCode, stdout } = await sandbox.exec('make test', { timeoutMs: 600_000 });
 */
export class Sandbox {
  readonly id: string;
  readonly files: SandboxFiles;
  readonly #transport: Transport;
  #info: SandboxInfo;

  private constructor(transport: Transport, info: SandboxInfo) {
    this.#transport = transport;
    this.#info = info;
    this.id = info.id;
    this.files = new SandboxFiles(transport, info.id);
  }

  /** Creates a sandbox and resolves when it runs. */
  static async create(options: CreateOptions = {}): Promise<Sandbox> {
    const { connection, signal, idempotencyKey, ...request } = options;
    const transport = new Transport(connection);
    const info = await transport.json(sandboxSchema, {
      method: 'POST',
      path: '/v1/sandboxes',
      json: { id: `sbx_${ulid()}`, ...request },
      ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
      timeoutMs: 0, // a boot, an image's first template and the queue all take their own time
      signal,
    });
    return new Sandbox(transport, info);
  }

  /** Takes up a sandbox that exists. Throws `sandbox-not-found`. It never touches the lease. */
  static async connect(id: string, connection?: ConnectionOptions): Promise<Sandbox> {
    const transport = new Transport(connection);
    return new Sandbox(transport, await transport.json(sandboxSchema, { method: 'GET', path: sandboxPath(id) }));
  }

  /** Sandboxes that carry all these labels; with `all` also those that have ended and are still remembered. */
  static async list(
    options: { labels?: Record<string, string>; all?: boolean; connection?: ConnectionOptions } = {},
  ): Promise<SandboxInfo[]> {
    const transport = new Transport(options.connection);
    const label = Object.entries(options.labels ?? {}).map(([name, value]) => `${name}=${value}`);
    const query = { label, all: options.all };
    try {
      return (await transport.json(sandboxListSchema, { method: 'GET', path: '/v1/sandboxes', query })).sandboxes;
    } finally {
      await transport.close();
    }
  }

  /** What was last heard of it; `refresh` asks again. */
  get info(): SandboxInfo {
    return this.#info;
  }

  async refresh(): Promise<SandboxInfo> {
    this.#info = await this.#transport.json(sandboxSchema, { method: 'GET', path: sandboxPath(this.id) });
    return this.#info;
  }

  /** Runs a command to its end. A string is a text for /bin/sh, a list a program and its arguments. */
  async exec(command: string | readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const { input, check, signal, onStdout, onStderr, maxOutputBytes, ...request } = options;
    const handle = await this.spawn(command, { ...request, stdin: input !== undefined });
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

  /** Starts a command and returns its handle at once. */
  async spawn(command: string | readonly string[], options: SpawnOptions = {}): Promise<ExecHandle> {
    const what = typeof command === 'string' ? { shell: command } : { argv: [...command] };
    const id = options.id ?? `exe_${ulid()}`;
    await this.#transport.json(execSchema, {
      method: 'POST',
      path: `${sandboxPath(this.id)}/execs`,
      json: { ...options, ...what, id },
    });
    return new ExecHandle(this.#transport, this.id, id);
  }

  /** The handle of an exec that was started before, perhaps by another program. */
  execHandle(execId: string): ExecHandle {
    return new ExecHandle(this.#transport, this.id, execId);
  }

  /** Execs of this sandbox, oldest first. */
  async execs(): Promise<ExecInfo[]> {
    return (await this.#transport.json(execListSchema, { method: 'GET', path: `${sandboxPath(this.id)}/execs` })).execs;
  }

  /** Lets it live this long from now; a longer lease stays unless `shorten`. */
  async renew(timeoutSeconds: number, options: { shorten?: boolean } = {}): Promise<SandboxInfo> {
    const json = { timeoutSeconds, ...options };
    const path = `${sandboxPath(this.id)}/renew`;
    this.#info = await this.#transport.json(sandboxSchema, { method: 'POST', path, json });
    return this.#info;
  }

  /** The last lines of its kernel's console. */
  async console(): Promise<string> {
    const answer = await this.#transport.send({ method: 'GET', path: `${sandboxPath(this.id)}/console` });
    return readText(answer.body);
  }

  /** Destroys it; resolves when process, network and files are gone. A second call is no error. */
  async stop(): Promise<SandboxInfo> {
    this.#info = await this.#transport.json(sandboxSchema, {
      method: 'DELETE',
      path: sandboxPath(this.id),
      timeoutMs: 0,
    });
    return this.#info;
  }

  /** Drops this client's idle connections; the sandbox lives on. */
  async disconnect(): Promise<void> {
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } catch (error) {
      if (!(error instanceof OffshootError && error.code === 'sandbox-not-found')) throw error;
    } finally {
      await this.disconnect();
    }
  }
}

function sandboxPath(id: string): string {
  return `/v1/sandboxes/${encodeURIComponent(id)}`;
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
