import { randomBytes } from 'node:crypto';
import { GuestLines } from './guest-lines.ts';
import { protectedForms } from './protected-values.ts';
import type { LogSink } from './stdout-sink.ts';

export type { LogSink } from './stdout-sink.ts';

export interface GuestLogOptions {
  /** Values that the runner masks: never broken over two lines, which would show their halves. */
  protectedValues?: readonly string[];
}

/** Bytes handled at once: bounds the memory of one write and lets timers run in between. */
const sliceBytes = 256 * 1024;

/**
 * Prints what the guest writes so that the runner takes none of it for a command: commands are stopped by a random token while the log is open, `##[` is
 * neutralised, and both streams go to one sink, whole lines at a time, because the runner reads its two streams in no order to each other.
 * Until `close` the action itself can give no commands either. Text that does not end in a line end is shown when its line ends, when it
 * outgrows the bound of a line, or at `close`: the runner shows whole lines only.
 *
 * @example
 * const log = await GuestLog.open(stdoutSink(), { protectedValues });
 * await log.write('stdout', bytes);
 * await log.close();
 */
export class GuestLog {
  readonly #sink: LogSink;
  readonly #token = randomBytes(20).toString('hex');
  readonly #lines: Record<'stdout' | 'stderr', GuestLines>;
  #tail: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(sink: LogSink, options: GuestLogOptions) {
    this.#sink = sink;
    const protect = protectedForms(options.protectedValues ?? []);
    this.#lines = { stdout: new GuestLines(protect), stderr: new GuestLines(protect) };
  }

  /** Stops the runner's commands. The sink has to be at the start of a line. */
  static async open(sink: LogSink, options: GuestLogOptions = {}): Promise<GuestLog> {
    const log = new GuestLog(sink, options);
    await log.#print(`::stop-commands::${log.#token}\n`);
    return log;
  }

  /** Resolves when the sink has taken what these bytes complete. Calls without waiting keep their order; their bytes wait in memory. */
  async write(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void> {
    if (this.#closing !== undefined) throw new Error('The log of the guest is closed.'); // after the token nothing is safe to print
    return this.#afterAll(async () => {
      for (let at = 0; at < bytes.length; at += sliceBytes) {
        await this.#print(this.#lines[stream].push(bytes.subarray(at, at + sliceBytes)));
      }
    });
  }

  /** Prints what is left of both streams and lets the runner take commands again. Can be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#afterAll(async () => {
      try {
        await this.#print(this.#lines.stdout.end() + this.#lines.stderr.end());
      } finally {
        await this.#print(`::${this.#token}::\n`);
      }
    });
    return this.#closing;
  }

  #afterAll(work: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => undefined); // whoever asked for the work hears of its failure
    return done;
  }

  async #print(text: string): Promise<void> {
    if (text !== '') await this.#sink.write(Buffer.from(text));
  }
}
