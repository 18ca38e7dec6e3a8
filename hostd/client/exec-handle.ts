import type { Readable } from 'node:stream';
import { execSchema, inputResultSchema, type ExecInfo } from '../contract/exec.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { followOutput, type FollowOptions, type OutputChunk } from './output.ts';
import type { Transport } from './transport.ts';

export type SignalName =
  | 'SIGHUP'
  | 'SIGINT'
  | 'SIGQUIT'
  | 'SIGKILL'
  | 'SIGUSR1'
  | 'SIGUSR2'
  | 'SIGTERM'
  | 'SIGCONT'
  | 'SIGSTOP'
  | 'SIGTSTP'
  | 'SIGWINCH';

const maxInputRequestBytes = 256 * 1024;

/** One exec of a sandbox, running or ended. */
export class ExecHandle {
  readonly id: string;
  readonly sandboxId: string;
  readonly #transport: Transport;
  readonly #path: string;
  #inputOffset = 0;
  #lastInput: Promise<unknown> = Promise.resolve();

  constructor(transport: Transport, sandboxId: string, id: string) {
    this.#transport = transport;
    this.sandboxId = sandboxId;
    this.id = id;
    this.#path = `/v1/sandboxes/${sandboxId}/execs/${id}`;
  }

  /** Its state now. */
  async info(): Promise<ExecInfo> {
    return this.#transport.json(execSchema, { method: 'GET', path: this.#path });
  }

  /** Output from any offset; with `follow` (the default) until it ends. May be called any number of times, also after the end. */
  output(options?: FollowOptions): AsyncGenerator<OutputChunk, ExecInfo | undefined> {
    return followOutput(this.#transport, this.#path, options);
  }

  /** Resolves with the result when it has ended. */
  async wait(options: { signal?: AbortSignal } = {}): Promise<ExecInfo> {
    const skipAll = await this.info();
    if (skipAll.state === 'ended') return skipAll;
    const chunks = this.output({ from: skipAll.outputBytes, signal: options.signal });
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) return next.value ?? this.info();
    }
  }

  /** Signals its process group; default SIGTERM. An exec that has ended is no error. */
  async kill(signal: SignalName = 'SIGTERM'): Promise<void> {
    try {
      await this.#post('signal', { signal });
    } catch (error) {
      if (!(error instanceof OffshootError && error.code === 'exec-ended')) throw error;
    }
  }

  /** Tells a pty its new size. */
  async resize(rows: number, cols: number): Promise<void> {
    await this.#post('resize', { rows, cols });
  }

  /** Sends input in order; resolves once the program's side has taken it all. Needs `stdin: true`. */
  async write(input: string | Buffer): Promise<void> {
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    const sent = this.#lastInput.then(async () => {
      for (let at = 0; at < bytes.length; at += maxInputRequestBytes) {
        await this.#sendInput(bytes.subarray(at, at + maxInputRequestBytes), false);
      }
    });
    this.#lastInput = sent.catch(() => undefined);
    await sent;
  }

  /** Ends the input: the program reads end of file. */
  async endInput(): Promise<void> {
    const ended = this.#lastInput.then(() => this.#sendInput(Buffer.alloc(0), true));
    this.#lastInput = ended.catch(() => undefined);
    await ended;
  }

  /** Sends a whole stream as input and ends it. Stops quietly when the program ends or closes its input first. */
  async pipeInput(source: Readable | AsyncIterable<string | Buffer>): Promise<void> {
    try {
      for await (const chunk of source) await this.write(typeof chunk === 'string' ? chunk : (chunk as Buffer));
      await this.endInput();
    } catch (error) {
      if (error instanceof OffshootError && ['exec-ended', 'exec-input-closed', 'sandbox-gone'].includes(error.code))
        return;
      throw error;
    }
  }

  async #sendInput(bytes: Buffer, end: boolean): Promise<void> {
    const goal = this.#inputOffset + bytes.length;
    const result = await this.#transport.json(inputResultSchema, {
      method: 'PUT',
      path: `${this.#path}/input`,
      query: { offset: this.#inputOffset, end },
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      timeoutMs: 0, // a program may take its time before it reads
    });
    if (result.consumedBytes < goal) {
      throw new OffshootError('exec-input-closed', { details: { consumedBytes: result.consumedBytes } });
    }
    this.#inputOffset = goal;
  }

  async #post(action: string, json: unknown): Promise<void> {
    const answer = await this.#transport.send({ method: 'POST', path: `${this.#path}/${action}`, json });
    answer.body.resume();
  }
}
