import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ExecSink, GuestExecResult, GuestExecSpec, OutputChannel } from '../guest.ts';

/** What a scripted exec can do: the inside of one fake process. */
export interface FakeProcessControl {
  readonly spec: GuestExecSpec;
  /** Resolves when the fake guest has room again: it keeps at most `ringBytes` that nobody has acknowledged. */
  stdout(bytes: Buffer | string): Promise<void>;
  stderr(bytes: Buffer | string): Promise<void>;
  /** The next input, null at its end. */
  readInput(): Promise<Buffer | null>;
  /** Resolves with the next signal; SIGKILL (9) comes also from close() of a running exec. */
  nextSignal(): Promise<number>;
  readonly size: { rows: number; cols: number } | undefined;
}

/** The program of a fake exec; what it returns is laid over a clean exit. A script that fails ends as `spawn-failed`. */
export type FakeScript = (control: FakeProcessControl) => Promise<Partial<GuestExecResult> | undefined>;

const ringBytes = 1024 * 1024;
const cleanExit: GuestExecResult = {
  exitCode: 0,
  signalNumber: null,
  timedOut: false,
  oomKilled: false,
  userCpuMs: 1,
  systemCpuMs: 1,
  maxRssKiB: 1024,
};

interface Chunk {
  channel: OutputChannel;
  offset: number;
  bytes: Buffer;
}

/** One process of a fake machine: it outlives the guest connection that started it, with its unacknowledged output. */
export class FakeProcess {
  readonly streamId: number;
  readonly spec: GuestExecSpec;
  readonly signals: number[] = [];
  size: { rows: number; cols: number } | undefined;
  result: GuestExecResult | undefined;
  ackedBytes = 0;
  lengthBytes = 0;
  inputConsumedBytes = 0;
  readonly #kept: Chunk[] = [];
  readonly #input: { bytes: Buffer; consumed: () => void }[] = [];
  #inputEnded = false;
  #signalsRead = 0;
  readonly #waiters = new Set<() => void>();

  constructor(streamId: number, spec: GuestExecSpec, script: FakeScript) {
    this.streamId = streamId;
    this.spec = spec;
    this.size = spec.pty;
    this.#run(script).then(
      (result) => this.#end({ ...cleanExit, ...result }),
      (error: unknown) =>
        this.#end({ ...cleanExit, exitCode: null, failure: { code: 'spawn-failed', message: String(error) } }),
    );
  }

  signal(signalNumber: number): void {
    this.signals.push(signalNumber);
    this.#wake();
  }

  resize(rows: number, cols: number): void {
    this.size = { rows, cols };
  }

  write(bytes: Buffer): Promise<void> {
    if (this.result !== undefined) return Promise.reject(new OffshootError('exec-ended'));
    if (!this.spec.stdin || this.#inputEnded) return Promise.reject(new OffshootError('exec-input-closed'));
    return new Promise((resolve) => {
      this.#input.push({ bytes, consumed: resolve });
      this.#wake();
    });
  }

  endInput(): void {
    this.#inputEnded = true;
    this.#wake();
  }

  /** Hands all output from `offset` to the sink, acknowledging as it resolves, until the end or until `detached` aborts. */
  async deliver(fromOffset: number, sink: ExecSink, detached: AbortSignal): Promise<GuestExecResult> {
    const wake = () => this.#wake();
    detached.addEventListener('abort', wake);
    try {
      let offset = Math.max(fromOffset, this.ackedBytes);
      for (;;) {
        detached.throwIfAborted();
        const chunk = this.#kept.find((kept) => kept.offset + kept.bytes.length > offset);
        if (chunk !== undefined) {
          const bytes = chunk.bytes.subarray(offset - chunk.offset);
          await sink.write(chunk.channel, offset, bytes);
          offset += bytes.length;
          this.#acknowledge(offset);
        } else if (this.result !== undefined) {
          return this.result;
        } else {
          await this.#woken();
        }
      }
    } finally {
      detached.removeEventListener('abort', wake);
    }
  }

  async #run(script: FakeScript): Promise<Partial<GuestExecResult> | undefined> {
    await Promise.resolve();
    const currentSize = () => this.size;
    return script({
      spec: this.spec,
      stdout: (bytes) => this.#emit('stdout', Buffer.from(bytes)),
      stderr: (bytes) => this.#emit('stderr', Buffer.from(bytes)),
      readInput: () => this.#readInput(),
      nextSignal: () => this.#nextSignal(),
      get size() {
        return currentSize();
      },
    });
  }

  async #emit(channel: OutputChannel, bytes: Buffer): Promise<void> {
    while (this.lengthBytes - this.ackedBytes >= ringBytes) await this.#woken();
    if (bytes.length > 0) this.#kept.push({ channel, offset: this.lengthBytes, bytes });
    this.lengthBytes += bytes.length;
    this.#wake();
  }

  async #readInput(): Promise<Buffer | null> {
    for (;;) {
      const next = this.#input.shift();
      if (next !== undefined) {
        this.inputConsumedBytes += next.bytes.length;
        next.consumed();
        return next.bytes;
      }
      if (this.#inputEnded) return null;
      await this.#woken();
    }
  }

  async #nextSignal(): Promise<number> {
    for (;;) {
      const signalNumber = this.signals[this.#signalsRead];
      if (signalNumber !== undefined) {
        this.#signalsRead += 1;
        return signalNumber;
      }
      await this.#woken();
    }
  }

  #acknowledge(offset: number): void {
    this.ackedBytes = Math.max(this.ackedBytes, offset);
    while (this.#kept[0] !== undefined && this.#kept[0].offset + this.#kept[0].bytes.length <= this.ackedBytes)
      this.#kept.shift();
    this.#wake();
  }

  #end(result: GuestExecResult): void {
    this.result = result;
    this.#wake();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.add(resolve);
    });
  }

  #wake(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) waiter();
  }
}
