import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { CreateExec, ExecInfo } from '../../contract/exec.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ExecRow } from '../../store/rows.ts';
import type { HostContext } from '../host-context.ts';
import type { ExecService, OutputChunk } from '../host.ts';
import { newExecId, requestHash } from '../ids.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { RunningSandbox } from '../registry.ts';
import { sandboxPaths } from '../sandbox-paths.ts';
import { logPaths, type ExecRunner } from './exec-runner.ts';
import { commandText, execInfo } from './exec-view.ts';
import { execNotFound, type LiveExec } from './live-exec.ts';
import type { LogState } from './output-log.ts';
import { recordBytes } from './output-index.ts';
import { readOutput } from './output-reader.ts';

/** The newest execs that `list` shows. */
const listedExecs = 1000;

export class LocalExecs implements ExecService {
  readonly #host: HostContext;
  readonly #runner: ExecRunner;

  constructor(host: HostContext, runner: ExecRunner) {
    this.#host = host;
    this.#runner = runner;
  }

  async start(sandboxId: string, request: CreateExec): Promise<{ exec: ExecInfo; created: boolean }> {
    const { id: chosenId, ...spec } = request;
    const specHash = requestHash(this.#host.store.hashKey, spec);
    const earlier = chosenId === undefined ? undefined : this.#find(sandboxId, chosenId);
    if (earlier !== undefined) return this.#repeat(sandboxId, earlier, specHash);
    const sandbox = this.#host.registry.running(sandboxId);
    this.#requireRoom(sandbox);
    const row: Omit<ExecRow, 'sequence'> = {
      sandboxId,
      id: chosenId ?? newExecId(),
      streamId: sandbox.guest.reserveStreamId(sandbox.streamFloor),
      state: 'running',
      specHash,
      command: commandText(request),
      cwd: request.cwd,
      user: request.user,
      pty: request.pty !== undefined,
      stdin: request.stdin,
      inputClosed: false,
      timeoutMs: request.timeoutMs ?? null,
      startedAtMs: this.#host.clock.wallMs(),
      endedAtMs: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      oomKilled: false,
      failure: null,
      outputBytes: 0,
      truncated: false,
      usage: null,
    };
    if (Object.keys(request.env).length > 0 && !sandbox.row.hasEnvValues)
      this.#host.registry.patch(sandbox, { hasEnvValues: true });
    const live = await this.#runner.start(sandbox, row, request);
    await live.confirmed;
    return { exec: await this.get(sandboxId, row.id), created: true };
  }

  async get(sandboxId: string, execId: string): Promise<ExecInfo> {
    return Promise.resolve(this.#info(this.#require(sandboxId, execId)));
  }

  async list(sandboxId: string): Promise<ExecInfo[]> {
    this.#host.registry.row(sandboxId);
    const rows = this.#host.store.execs.of(sandboxId, listedExecs);
    return Promise.resolve(rows.map((row) => this.#info(row)));
  }

  output(
    sandboxId: string,
    execId: string,
    from: number,
    follow: boolean,
    signal: AbortSignal,
  ): AsyncIterable<OutputChunk> {
    this.#require(sandboxId, execId);
    return this.#read(sandboxId, execId, from, follow, signal);
  }

  async input(
    sandboxId: string,
    execId: string,
    offset: number,
    bytes: Readable,
    end: boolean,
    signal: AbortSignal,
  ): Promise<{ consumedBytes: number }> {
    const live = this.#requireLive(sandboxId, execId);
    if (!live.row.stdin)
      throw new OffshootError('exec-input-closed', { message: 'The exec was started without stdin.' });
    return live.input.send(offset, bytes, end, signal);
  }

  async resize(sandboxId: string, execId: string, rows: number, cols: number): Promise<void> {
    const live = this.#requireLive(sandboxId, execId);
    if (!live.row.pty) {
      throw new OffshootError('invalid-request', {
        message: 'The exec has no terminal.',
        hint: 'Start it with pty to resize it.',
      });
    }
    live.process.resize(rows, cols);
    return Promise.resolve();
  }

  async signal(sandboxId: string, execId: string, signal: NodeJS.Signals): Promise<void> {
    this.#requireLive(sandboxId, execId).process.signal(constants.signals[signal]);
    return Promise.resolve();
  }

  async *#read(
    sandboxId: string,
    execId: string,
    from: number,
    follow: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<OutputChunk> {
    const sandbox = this.#host.registry.find(sandboxId);
    const limit = this.#host.config.maxFollowersPerSandbox;
    if (sandbox !== undefined && sandbox.followers >= limit) {
      throw new OffshootError('too-many-streams', {
        message: `The outputs of ${sandboxId} are read by ${String(limit)} clients already.`,
        details: { limit },
      });
    }
    if (sandbox !== undefined) sandbox.followers += 1;
    try {
      for (let offset = from; ;) {
        const row = this.#require(sandboxId, execId);
        const log = this.#live(sandboxId, execId)?.log ?? (await this.#storedLog(row));
        for await (const chunk of readOutput(log, offset, follow, signal)) {
          yield chunk;
          offset = chunk.offset + chunk.bytes.length;
        }
        if (!follow || signal.aborted || !log.released || sandbox === undefined) return;
        // The sandbox went to disk with the exec in it: it goes on when the sandbox does.
        await this.#untilTakenUp(sandbox, execId, signal);
      }
    } finally {
      if (sandbox !== undefined) sandbox.followers -= 1;
    }
  }

  /** The output of an exec that ended, or that is on disk with its sandbox. */
  async #storedLog(row: ExecRow): Promise<LogState> {
    const paths = logPaths(sandboxPaths(this.#host.paths, row.sandboxId), row.id);
    const [index, data] = await Promise.all([paths.index, paths.data].map((path) => stat(path).catch(() => undefined)));
    const runs = Math.floor((index?.size ?? 0) / recordBytes);
    const ended = row.state === 'ended';
    const storedBytes = runs === 0 ? 0 : ended ? row.outputBytes : (data?.size ?? 0);
    return { paths, storedBytes, runs, ended, released: !ended, changed: () => Promise.resolve() };
  }

  async #untilTakenUp(sandbox: LiveSandbox, execId: string, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, sandbox.ending.signal]);
    const waits = () => this.#live(sandbox.row.id, execId) === undefined && sandbox.row.state === 'paused';
    while (waits() && !either.aborted) await sandbox.resumed.wait(either);
    if (sandbox.ending.signal.aborted) await sandbox.teardown?.catch(() => undefined);
  }

  async #repeat(sandboxId: string, row: ExecRow, specHash: string): Promise<{ exec: ExecInfo; created: boolean }> {
    if (row.specHash !== specHash) {
      throw new OffshootError('exec-id-taken', {
        message: `The sandbox ${sandboxId} has another exec ${row.id}.`,
        details: { sandboxId, execId: row.id },
      });
    }
    await this.#live(sandboxId, row.id)?.confirmed;
    return { exec: await this.get(sandboxId, row.id), created: false };
  }

  #requireRoom(sandbox: RunningSandbox): void {
    const limit = this.#host.config.maxExecsPerSandbox;
    if (sandbox.execs.size < limit) return;
    throw new OffshootError('too-many-execs', {
      message: `The sandbox runs ${String(sandbox.execs.size)} execs, its most.`,
      details: { limit },
    });
  }

  #info(row: ExecRow): ExecInfo {
    const live = this.#live(row.sandboxId, row.id);
    if (live === undefined || row.state === 'ended') return execInfo(row);
    return execInfo({ ...row, truncated: live.row.truncated }, live.log.storedBytes);
  }

  #live(sandboxId: string, execId: string): LiveExec | undefined {
    return this.#host.registry.find(sandboxId)?.execs.get(execId);
  }

  #find(sandboxId: string, execId: string): ExecRow | undefined {
    this.#host.registry.row(sandboxId);
    return this.#host.store.execs.get(sandboxId, execId);
  }

  #require(sandboxId: string, execId: string): ExecRow {
    const row = this.#find(sandboxId, execId);
    if (row === undefined) throw execNotFound(sandboxId, execId);
    return row;
  }

  #requireLive(sandboxId: string, execId: string): LiveExec {
    const row = this.#require(sandboxId, execId);
    if (row.state === 'ended') {
      throw new OffshootError('exec-ended', { details: { sandboxId, execId, exitCode: row.exitCode } });
    }
    this.#host.registry.running(sandboxId);
    const live = this.#live(sandboxId, execId);
    if (live === undefined) throw new OffshootError('exec-ended', { details: { sandboxId, execId } });
    return live;
  }
}
