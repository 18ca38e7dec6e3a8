import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateExec } from '../../contract/exec.ts';
import { isOffshootError, OffshootError } from '../../errors/offshoot-error.ts';
import type { GuestExec, GuestExecSpec } from '../../guest/guest.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import type { ExecRow } from '../../store/rows.ts';
import type { HostContext } from '../host-context.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { RunningSandbox } from '../registry.ts';
import { ExecInput } from './exec-input.ts';
import { ranFor } from './exec-time.ts';
import { lostOutcome, outcomeOf, overdueOutcome, type ExecOutcome } from './exec-view.ts';
import type { LiveExec } from './live-exec.ts';
import type { LogPaths } from './output-files.ts';
import { OutputLog, type LossReason } from './output-log.ts';

/** The guest has answered within this, or the start is answered anyway. */
const confirmMs = 2000;

export function logPaths(sandbox: { execs: string }, execId: string): LogPaths {
  return { data: join(sandbox.execs, `${execId}.out`), index: join(sandbox.execs, `${execId}.idx`) };
}

/** Starts execs, takes up those of an earlier hostd, and stores how they end. */
export class ExecRunner {
  readonly #host: HostContext;

  constructor(host: HostContext) {
    this.#host = host;
  }

  async start(sandbox: RunningSandbox, row: Omit<ExecRow, 'sequence'>, request: CreateExec): Promise<LiveExec> {
    const { store, events } = this.#host;
    store.transaction(() => {
      store.execs.insert(row);
      store.counters.add('execs_started', 1);
      events.append('exec.started', { sandboxId: row.sandboxId, execId: row.id, data: { command: row.command } });
    });
    // Awaited only when there is a fault: until the exec is in the map nobody may come between.
    const fault = faultPoint('exec.journaled');
    if (fault !== undefined) await fault;
    const log = new OutputLog(logPaths(sandbox.paths, row.id), this.#limits, this.#onLoss(row));
    let process: GuestExec;
    try {
      process = sandbox.guest.exec(specOf(sandbox, request), log, row.streamId);
    } catch (error) {
      store.transaction(() => {
        store.execs.delete(row.sandboxId, row.id);
        events.append('exec.ended', { sandboxId: row.sandboxId, execId: row.id, data: { failure: 'spawn-failed' } });
      });
      throw error;
    }
    const live = this.#watch(sandbox, { ...row, sequence: 0 }, log, process);
    live.confirmed = arrival(sandbox, process);
    await faultPoint('exec.after-start');
    return live;
  }

  /** Takes up, or settles, every exec that was running when an earlier hostd ended. */
  async adopt(sandbox: RunningSandbox): Promise<void> {
    const { store } = this.#host;
    sandbox.streamFloor = store.execs.highestStreamId(sandbox.row.id);
    for (const row of store.execs.running(sandbox.row.id)) {
      const stream = sandbox.guest.hello.streams.find((each) => each.id === row.streamId);
      // Its start was never confirmed to anybody: the client asks again with the same id.
      if (stream === undefined) {
        store.execs.delete(row.sandboxId, row.id);
        continue;
      }
      const paths = logPaths(sandbox.paths, row.id);
      const log = await OutputLog.reopen(paths, this.#limits, this.#onLoss(row), row.truncated);
      // Of a truncated output more was acknowledged than is stored.
      const received = row.truncated ? Math.max(stream.baseOffset, log.storedBytes) : log.storedBytes;
      const process = sandbox.guest.adoptExec(row.streamId, received, log);
      if (process !== undefined) this.#watch(sandbox, row, log, process);
      else this.#store(row, log.storedBytes, lostOutcome('stream-lost', 'The guest no longer knows this exec.'));
    }
    sandbox.guest.closeStrays();
  }

  /** The sandbox ends: so do its execs, with what output they had. */
  async endAll(sandbox: LiveSandbox, message: string): Promise<void> {
    const { store } = this.#host;
    const running = [...sandbox.execs.values()].filter((live) => !live.settled);
    for (const live of running) {
      live.settled = true;
      await live.log.flushed();
    }
    const strays = store.execs.running(sandbox.row.id).filter((row) => !running.some((live) => live.row.id === row.id));
    const straySizes = await Promise.all(strays.map((row) => fileSize(logPaths(sandbox.paths, row.id).data)));
    store.transaction(() => {
      for (const live of running) {
        this.#store(live.row, live.log.storedBytes, lostOutcome('sandbox-ended', message));
      }
      // Execs of a sandbox that was never taken up again.
      for (const [index, row] of strays.entries()) {
        this.#store(row, straySizes[index] ?? 0, lostOutcome('sandbox-ended', message));
      }
    });
    for (const live of running) await this.#retire(sandbox, live);
  }

  get #limits() {
    return { maxBytes: this.#host.config.maxOutputBytesPerExec };
  }

  #onLoss(row: { sandboxId: string; id: string }): (reason: LossReason) => void {
    return (reason) => {
      const live = this.#host.registry.find(row.sandboxId)?.execs.get(row.id);
      if (live !== undefined) live.row = { ...live.row, truncated: true };
      this.#host.store.execs.update(row.sandboxId, row.id, { truncated: true });
      this.#host.log.warn({ sandboxId: row.sandboxId, execId: row.id, reason }, 'output is not kept any more');
    };
  }

  #watch(sandbox: LiveSandbox, row: ExecRow, log: OutputLog, process: GuestExec): LiveExec {
    const input = new ExecInput(process, row.inputClosed, () => {
      this.#host.store.execs.update(row.sandboxId, row.id, { inputClosed: true });
    });
    const live: LiveExec = { row, log, process, input, confirmed: Promise.resolve(), settled: false };
    sandbox.execs.set(row.id, live);
    this.#finish(sandbox, live).catch((error: unknown) => {
      this.#host.log.error({ sandboxId: row.sandboxId, execId: row.id, error }, 'the end of an exec was not stored');
    });
    return live;
  }

  async #finish(sandbox: LiveSandbox, live: LiveExec): Promise<void> {
    const outcome = await this.#outcome(sandbox, live);
    if (outcome === undefined || live.settled) return;
    live.settled = true;
    await live.log.flushed();
    await faultPoint('exec.before-result');
    this.#store(live.row, live.log.storedBytes, outcome);
    await faultPoint('exec.result-stored');
    live.process.close();
    await this.#retire(sandbox, live);
  }

  /** Undefined when the channel is gone: then the sandbox's end, or the next hostd, settles the exec. */
  async #outcome(sandbox: LiveSandbox, live: LiveExec): Promise<ExecOutcome | undefined> {
    try {
      const outcome = await this.#endOrOverdue(sandbox, live);
      if (live.log.loss !== 'gap') return outcome;
      const message = 'The guest no longer had part of the output.';
      return { ...outcome, failure: outcome.failure ?? { code: 'stream-lost', message } };
    } catch (error) {
      const code = isOffshootError(error) ? error.code : undefined;
      if (code === 'guest-unresponsive' || code === 'guest-protocol' || code === 'shutting-down') return undefined;
      const message = error instanceof Error ? error.message : String(error);
      if (code === 'too-many-streams')
        return { ...lostOutcome('stream-lost', message), failure: { code: 'spawn-failed', message } };
      return lostOutcome('stream-lost', message);
    }
  }

  /** How the guest says it ended; when the guest says nothing long after the exec's time, that. */
  async #endOrOverdue(sandbox: LiveSandbox, { row, process }: LiveExec): Promise<ExecOutcome> {
    const { timeoutMs } = row;
    if (timeoutMs === null) return outcomeOf(await process.result);
    const over = new AbortController();
    const limitMs = timeoutMs + this.#host.config.execGraceMs;
    const overdue = ranFor(this.#host.clock, sandbox, limitMs, over.signal).then(() => overdueOutcome(timeoutMs));
    try {
      return await Promise.race([process.result.then(outcomeOf), overdue]);
    } finally {
      over.abort();
    }
  }

  #store(row: ExecRow, outputBytes: number, outcome: ExecOutcome): void {
    const { store, events, clock } = this.#host;
    store.transaction(() => {
      store.execs.update(row.sandboxId, row.id, { ...outcome, state: 'ended', endedAtMs: clock.wallMs(), outputBytes });
      store.counters.add('execs_ended', 1);
      store.counters.add('output_bytes', outputBytes);
      events.append('exec.ended', {
        sandboxId: row.sandboxId,
        execId: row.id,
        data: { exitCode: outcome.exitCode, signal: outcome.signal, failure: outcome.failure?.code ?? null },
      });
    });
  }

  async #retire(sandbox: LiveSandbox, live: LiveExec): Promise<void> {
    sandbox.execs.delete(live.row.id);
    live.input.fail(new OffshootError('exec-ended'));
    await live.log.end();
  }
}

function specOf(sandbox: LiveSandbox, request: CreateExec): GuestExecSpec {
  return {
    ...(request.argv === undefined ? {} : { argv: request.argv }),
    ...(request.shell === undefined ? {} : { shell: request.shell }),
    env: { ...sandbox.env, ...request.env },
    cwd: request.cwd,
    user: request.user,
    ...(request.pty === undefined ? {} : { pty: request.pty }),
    stdin: request.stdin,
    ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
  };
}

async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    () => 0,
  );
}

/** A pong behind the OPEN, or the end of the exec, shows that the guest has it. */
async function arrival(sandbox: RunningSandbox, process: GuestExec): Promise<void> {
  const quietly = (promise: Promise<unknown>) => promise.then(() => undefined).catch(() => undefined);
  await Promise.race([quietly(sandbox.guest.ping(confirmMs)), quietly(process.result)]);
}
