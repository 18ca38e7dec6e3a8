import { setTimeout as sleep } from 'node:timers/promises';
import { OffshootError } from '../errors/offshoot-error.ts';
import { FakeFiles, type FakeFile } from './fake/files.ts';
import { FakeProcess, type FakeScript } from './fake/process.ts';
import type {
  ExecSink,
  Guest,
  GuestConnectOptions,
  GuestConnector,
  GuestExec,
  GuestExecSpec,
  GuestFiles,
  GuestHello,
  GuestMetrics,
  ResumeIdentity,
} from './guest.ts';

export type { FakeFile } from './fake/files.ts';
export { FakeProcess, type FakeProcessControl, type FakeScript } from './fake/process.ts';

type CloseReason = 'carrier-gone' | 'protocol' | 'disconnected';
export type FakeOperation =
  | 'connect'
  | 'prepareResume'
  | 'freezeWorkload'
  | 'thawWorkload'
  | 'metrics'
  | 'sync'
  | 'shutdown'
  | 'ping'
  | keyof GuestFiles;

const fakeMetrics: GuestMetrics = {
  memoryTotalKiB: 512 * 1024,
  memoryAvailableKiB: 400 * 1024,
  diskTotalKiB: 8 * 1024 * 1024,
  diskFreeKiB: 6 * 1024 * 1024,
  processes: 3,
  load1: 0,
  uptimeMs: 1000,
  clockMs: 0,
};

/** The inside of one fake sandbox: processes and files that outlive any connection to it, and the faults a test asks for. */
export class FakeMachine {
  readonly files = new Map<string, FakeFile>();
  readonly processes = new Map<number, FakeProcess>();
  readonly identities: ResumeIdentity[] = [];
  readonly capabilities = new Set([
    ...['exec', 'read-file', 'write-file', 'list', 'stat', 'tar-in', 'tar-out', 'metrics'],
    ...['prepare-resume', 'freeze-workload', 'thaw-workload'],
  ]);
  /** Every change of the workload, oldest first. */
  readonly workloadChanges: ('frozen' | 'thawed')[] = [];
  /** What every exec runs; the default exits 0 at once. */
  script: FakeScript = async () => undefined;
  metrics: GuestMetrics = { ...fakeMetrics };
  /** A hanging guest answers nothing: whatever has a deadline fails with `guest-unresponsive`, the rest waits for ever. */
  hanging = false;
  shutDown = false;
  readonly #faults = new Map<FakeOperation, Error>();
  readonly #hangs = new Set<FakeOperation>();
  readonly #guests = new Set<FakeGuest>();

  /** The next call of this operation fails with the error. */
  failNext(operation: FakeOperation, error: Error): void {
    this.#faults.set(operation, error);
  }

  /** The next call of this operation is never answered, as if the guest were hanging for it alone. */
  hangNext(operation: FakeOperation): void {
    this.#hangs.add(operation);
  }

  /** The script, held back while the machine is frozen. */
  startingScript(): FakeScript {
    if (!this.frozen) return this.script;
    return async (control) => {
      while (this.frozen) await sleep(1);
      return this.script(control);
    };
  }

  get frozen(): boolean {
    return this.workloadChanges.at(-1) === 'frozen';
  }

  /** An exec of a frozen machine does nothing before the thaw. */
  setFrozen(frozen: boolean): void {
    if (frozen !== this.frozen) this.workloadChanges.push(frozen ? 'frozen' : 'thawed');
  }

  /** Ends every connection, as a dead QEMU ('carrier-gone') or a lying agent ('protocol') would. */
  drop(reason: CloseReason): void {
    for (const guest of [...this.#guests]) guest.end(reason);
  }

  attach(guest: FakeGuest): void {
    this.#guests.add(guest);
  }

  detach(guest: FakeGuest): void {
    this.#guests.delete(guest);
  }

  /** Throws what failNext asked for; hangs while `hanging`, up to the deadline if there is one. */
  async meet(operation: FakeOperation, timeoutMs?: number): Promise<void> {
    const error = this.#faults.get(operation);
    this.#faults.delete(operation);
    if (error !== undefined) throw error;
    const startMs = performance.now();
    const alone = this.#hangs.delete(operation);
    while (this.hanging || alone) {
      await sleep(1);
      if (timeoutMs !== undefined && performance.now() - startMs >= timeoutMs)
        throw new OffshootError('guest-unresponsive', { details: { operation, timeoutMs } });
    }
  }
}

/** One connection to a fake machine. */
export class FakeGuest implements Guest {
  readonly hello: GuestHello;
  readonly files: GuestFiles;
  readonly closed: Promise<CloseReason>;
  readonly #machine: FakeMachine;
  readonly #ended = new AbortController();
  readonly #taken = new Set<number>();
  #resolveClosed: (reason: CloseReason) => void = () => undefined;

  constructor(machine: FakeMachine) {
    this.#machine = machine;
    this.files = new FakeFiles(machine.files, (operation) => machine.meet(operation));
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.hello = {
      protocolVersion: 1,
      agentBuild: 'fake',
      capabilities: machine.capabilities,
      streams: [...machine.processes.values()].map((process) => ({
        id: process.streamId,
        kind: 'exec',
        receivedBytes: process.inputConsumedBytes,
        baseOffset: process.ackedBytes,
        lengthBytes: process.lengthBytes,
        ended: process.result !== undefined,
      })),
    };
    machine.attach(this);
  }

  end(reason: CloseReason): void {
    if (this.#ended.signal.aborted) return;
    const code = reason === 'protocol' ? 'guest-protocol' : reason === 'disconnected' ? 'shutting-down' : undefined;
    this.#ended.abort(new OffshootError(code ?? 'guest-unresponsive', { details: { reason } }));
    this.#machine.detach(this);
    this.#resolveClosed(reason);
  }

  async prepareResume(identity: ResumeIdentity, timeoutMs: number): Promise<void> {
    await this.#request('prepareResume', timeoutMs);
    this.#machine.identities.push(identity);
    if (identity.dropStreams) this.#machine.processes.clear();
    this.#machine.setFrozen(false);
  }

  async freezeWorkload(timeoutMs: number): Promise<void> {
    await this.#request('freezeWorkload', timeoutMs);
    this.#machine.setFrozen(true);
  }

  async thawWorkload(timeoutMs: number): Promise<void> {
    await this.#request('thawWorkload', timeoutMs);
    this.#machine.setFrozen(false);
  }

  exec(spec: GuestExecSpec, sink: ExecSink, streamId = this.reserveStreamId()): GuestExec {
    this.#ended.signal.throwIfAborted();
    const process = new FakeProcess(streamId, spec, this.#machine.startingScript());
    this.#machine.processes.set(streamId, process);
    return this.#attachExec(process, 0, sink);
  }

  adoptExec(streamId: number, receivedBytes: number, sink: ExecSink): GuestExec | undefined {
    const process = this.#machine.processes.get(streamId);
    return process === undefined ? undefined : this.#attachExec(process, receivedBytes, sink);
  }

  reserveStreamId(floor = 0): number {
    const streamId = Math.max(floor, 0, ...this.#taken, ...this.#machine.processes.keys()) + 1;
    this.#taken.add(streamId);
    return streamId;
  }

  async metrics(timeoutMs: number): Promise<GuestMetrics> {
    await this.#request('metrics', timeoutMs);
    return this.#machine.metrics;
  }

  sync(timeoutMs: number): Promise<void> {
    return this.#request('sync', timeoutMs);
  }

  ping(timeoutMs: number): Promise<void> {
    return this.#request('ping', timeoutMs);
  }

  async shutdown(timeoutMs: number): Promise<void> {
    await this.#request('shutdown', timeoutMs);
    this.#machine.shutDown = true;
  }

  closeStrays(): void {
    for (const stream of this.hello.streams) if (!this.#taken.has(stream.id)) this.#machine.processes.delete(stream.id);
  }

  disconnect(): void {
    this.end('disconnected');
  }

  async #request(operation: FakeOperation, timeoutMs: number): Promise<void> {
    this.#ended.signal.throwIfAborted();
    await this.#machine.meet(operation, timeoutMs);
  }

  #attachExec(process: FakeProcess, fromOffset: number, sink: ExecSink): GuestExec {
    this.#taken.add(process.streamId);
    const lost = new Promise<never>((_resolve, reject) => {
      this.#ended.signal.addEventListener('abort', () => reject(this.#ended.signal.reason as Error));
    });
    const result = Promise.race([process.deliver(fromOffset, sink, this.#ended.signal), lost]);
    result.catch(() => undefined);
    lost.catch(() => undefined);
    return {
      streamId: process.streamId,
      result,
      get inputConsumedBytes() {
        return process.inputConsumedBytes;
      },
      write: (bytes) => process.write(bytes),
      endInput: () => process.endInput(),
      resize: (rows, cols) => process.resize(rows, cols),
      signal: (signalNumber) => process.signal(signalNumber),
      close: () => {
        this.#machine.processes.delete(process.streamId);
        if (process.result === undefined) process.signal(9);
      },
    };
  }
}

/** A GuestConnector whose sandboxes are FakeMachines, one for each socket path. */
export class FakeGuestConnector implements GuestConnector {
  readonly connects: GuestConnectOptions[] = [];
  readonly #machines = new Map<string, FakeMachine>();

  /** The machine behind a socket path, made on first use. */
  machine(socketPath: string): FakeMachine {
    const machine = this.#machines.get(socketPath) ?? new FakeMachine();
    this.#machines.set(socketPath, machine);
    return machine;
  }

  async connect(options: GuestConnectOptions): Promise<Guest> {
    this.connects.push(options);
    options.signal?.throwIfAborted();
    const machine = this.machine(options.socketPath);
    await machine.meet('connect', options.helloTimeoutMs);
    return new FakeGuest(machine);
  }
}
