import { ulid } from 'ulid';
import {
  egressPolicyInfoSchema,
  egressReportSchema,
  type EgressPolicyInfo,
  type EgressPolicyInput,
  type EgressReport,
} from '../contract/egress.ts';
import { execListSchema, execSchema, type ExecInfo } from '../contract/exec.ts';
import {
  sandboxListSchema,
  sandboxSchema,
  type CreateSandboxInput,
  type PauseInput,
  type SandboxInfo,
} from '../contract/sandbox.ts';
import { snapshotSchema, type CreateSnapshotInput, type SnapshotInfo } from '../contract/snapshot.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { fillInAutoRules } from './egress/fill-in-auto-rules.ts';
import { ExecHandle } from './exec-handle.ts';
import type { ExecResult } from './exec-result.ts';
import { execToEnd, type ExecOptions, type SpawnOptions } from './exec-to-end.ts';
import { requestFork, type ForkOptions, type ForkReport } from './fork.ts';
import { SandboxFiles } from './sandbox-files.ts';
import { readText, Transport, type ConnectionOptions } from './transport.ts';

export type CreateOptions = CreateSandboxInput & {
  /** The same key answers the same sandbox; another request under it is refused. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  connection?: ConnectionOptions;
};

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
  #lastFork: ForkReport | undefined;

  private constructor(transport: Transport, info: SandboxInfo) {
    this.#transport = transport;
    this.#info = info;
    this.id = info.id;
    this.files = new SandboxFiles(transport, info.id);
  }

  /** Creates a sandbox and resolves when it runs. `auto:` rules of its egress policy are filled in from this machine's configuration. */
  static async create(options: CreateOptions = {}): Promise<Sandbox> {
    const { connection, signal, idempotencyKey, egress, ...request } = options;
    const transport = new Transport(connection);
    const policy = egress === undefined ? {} : { egress: await fillInAutoRules(egress, signal) };
    const info = await transport.json(sandboxSchema, {
      method: 'POST',
      path: '/v1/sandboxes',
      json: { id: `sbx_${ulid()}`, ...request, ...policy },
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
    return execToEnd((request) => this.spawn(command, request), command, options);
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

  /**
   * Starts a running copy of it, or with `count` (1 to 100) a list of them in order: each has the memory, disk and processes of this moment.
   * A sandbox that runs stands still for some milliseconds (`lastFork.pausedMs`); a paused one stays paused. When some copies do not start it
   * throws `fork-failed`, and the others run on: see `isForkFailed`. Stop each copy when it has done its work. Without `egress` each may reach
   * what this one may.
   */
  fork(options?: ForkOptions & { count?: undefined }): Promise<Sandbox>;
  fork(options: ForkOptions & { count: number }): Promise<Sandbox[]>;
  async fork({ count, egress, ...options }: ForkOptions & { count?: number | undefined } = {}): Promise<
    Sandbox | Sandbox[]
  > {
    const policy = egress === undefined ? {} : { egress: await fillInAutoRules(egress, options.signal) };
    const request = { ...options, ...policy, count: count ?? 1 };
    const { sandboxes, ...report } = await requestFork(this.#transport, this.id, request);
    this.#lastFork = { ...report, sandboxIds: sandboxes.map(({ id }) => id) };
    // a connection of its own: disposing one sandbox must not cut off another
    const copies = sandboxes.map((info) => new Sandbox(this.#transport.sibling(), info));
    if (count !== undefined) return copies;
    const [copy] = copies;
    if (copy === undefined) throw new OffshootError('protocol-mismatch', { message: 'The fork has no copy.' });
    return copy;
  }

  /** The last fork that this object made: how long the sandbox stood still, how its memory was duplicated, the snapshot that was kept. */
  get lastFork(): ForkReport | undefined {
    return this.#lastFork;
  }

  /** It takes no CPU from the answer on, and after `hibernateAfterSeconds` (default: the host's; 0 is at once) no memory. Its lease goes on. Idempotent. */
  async pause(options: PauseInput = {}): Promise<SandboxInfo> {
    return this.#change('pause', options);
  }

  /** Lets it run again, from memory or from disk, its clock set. Idempotent. */
  async resume(): Promise<SandboxInfo> {
    return this.#change('resume', {});
  }

  /**
   * Keeps its memory, disk and processes under a name; it goes on. Resolves when the snapshot is safe on disk. Throws `snapshot-exists`. Not
   * repeated after a lost connection: whether it was taken, `HostClient.snapshots` tells.
   */
  async snapshot(request: CreateSnapshotInput): Promise<SnapshotInfo> {
    return this.#transport.json(snapshotSchema, {
      method: 'POST',
      path: `${sandboxPath(this.id)}/snapshot`,
      json: request,
      timeoutMs: 0,
      repeatable: false,
    });
  }

  /**
   * Gives it another egress policy, in force when it resolves: connections that it does not allow are cut. A list alone means enforce, an
   * empty one allows nothing. Answers the rules as they were understood. Throws `egress-rules-invalid`, and `egress-auto-failed` for `auto:`
   * rules that can't be filled in from this machine's configuration.
   */
  async setEgress(policy: EgressPolicyInput): Promise<EgressPolicyInfo> {
    const json = await fillInAutoRules(policy);
    const egress = await this.#transport.json(egressPolicyInfoSchema, {
      method: 'PUT',
      path: `${sandboxPath(this.id)}/egress`,
      json,
    });
    this.#info = { ...this.#info, egress };
    return egress;
  }

  /** What it may reach, what it reached and what was denied since it was made; also after its end, while hostd remembers it. */
  async egressReport(options: { signal?: AbortSignal } = {}): Promise<EgressReport> {
    const report = await this.#transport.json(egressReportSchema, {
      method: 'GET',
      path: `${sandboxPath(this.id)}/egress`,
      signal: options.signal,
    });
    this.#info = { ...this.#info, egress: report.policy };
    return report;
  }

  /** The last lines of its kernel's console. */
  async console(): Promise<string> {
    const answer = await this.#transport.send({ method: 'GET', path: `${sandboxPath(this.id)}/console` });
    return readText(answer.body);
  }

  /** Destroys it; resolves when process, network and files are gone, however long that takes unless `requestTimeoutMs` bounds it. A second call is no error. */
  async stop(options: { requestTimeoutMs?: number } = {}): Promise<SandboxInfo> {
    this.#info = await this.#transport.json(sandboxSchema, {
      method: 'DELETE',
      path: sandboxPath(this.id),
      timeoutMs: options.requestTimeoutMs ?? 0,
    });
    return this.#info;
  }

  async #change(verb: 'pause' | 'resume', json: PauseInput): Promise<SandboxInfo> {
    const path = `${sandboxPath(this.id)}/${verb}`;
    this.#info = await this.#transport.json(sandboxSchema, { method: 'POST', path, json, timeoutMs: 0 });
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
