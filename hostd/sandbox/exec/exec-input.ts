import type { Readable } from 'node:stream';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { GuestExec } from '../../guest/guest.ts';
import { Waiters } from '../../platform/waiters.ts';

/** Bytes handed to the guest and not yet consumed by it, over all requests. */
const maxInFlightBytes = 1024 * 1024;

/**
 * The input of one exec, by offset: requests take turns, what was sent before is skipped, a gap is refused. Bytes of a
 * request that is given up stay sent.
 */
export class ExecInput {
  readonly #process: GuestExec;
  readonly #onClosed: () => void;
  readonly #waiters = new Waiters();
  #sentBytes: number;
  #inFlightBytes = 0;
  #failure: unknown;
  #closed: boolean;
  #busy = false;

  /** `onClosed` is called before the end of the input is told to the guest. */
  constructor(process: GuestExec, closed: boolean, onClosed: () => void) {
    this.#process = process;
    this.#sentBytes = process.inputConsumedBytes;
    this.#closed = closed;
    this.#onClosed = onClosed;
    if (closed) process.endInput(); // told by an earlier hostd, whose word may not have arrived
  }

  /** Resolves when the guest has consumed all of it. Errors: `exec-input-offset`, `exec-input-closed`, `exec-ended`, `aborted`. */
  async send(offset: number, bytes: Readable, end: boolean, signal: AbortSignal): Promise<{ consumedBytes: number }> {
    while (this.#busy) await this.#changed(signal);
    this.#busy = true;
    try {
      if (offset > this.#sentBytes) throw offsetError(this.#sentBytes);
      await this.#pump(offset, bytes, signal);
      while (this.#inFlightBytes > 0) await this.#changed(signal);
      if (end) this.#close();
      return { consumedBytes: this.#process.inputConsumedBytes };
    } finally {
      this.#busy = false;
      this.#waiters.wake();
    }
  }

  async #pump(offset: number, bytes: Readable, signal: AbortSignal): Promise<void> {
    let position = offset;
    const onAbort = () => bytes.destroy();
    signal.addEventListener('abort', onAbort);
    try {
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        const fresh = chunk.subarray(Math.max(0, this.#sentBytes - position));
        position += chunk.length;
        if (fresh.length === 0) continue;
        if (this.#closed) throw new OffshootError('exec-input-closed');
        while (this.#inFlightBytes >= maxInFlightBytes) await this.#changed(signal);
        this.#push(fresh);
      }
    } catch (cause) {
      if (cause instanceof OffshootError) throw cause;
      throw new OffshootError('aborted', { message: 'The input broke off.', cause });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (signal.aborted) throw new OffshootError('aborted', { cause: signal.reason });
  }

  #push(bytes: Buffer): void {
    this.#sentBytes += bytes.length;
    this.#inFlightBytes += bytes.length;
    this.#process.write(bytes).then(
      () => {
        this.#inFlightBytes -= bytes.length;
        this.#waiters.wake();
      },
      (error: unknown) => {
        this.#failure ??= error;
        this.#waiters.wake();
      },
    );
  }

  async #changed(signal: AbortSignal): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure as Error;
    if (signal.aborted) throw new OffshootError('aborted', { cause: signal.reason });
    await this.#waiters.wait(signal);
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #close(): void {
    if (this.#closed) return;
    this.#onClosed();
    this.#closed = true;
    this.#process.endInput();
  }

  /** The exec has ended: whoever still waits is told. */
  fail(error: OffshootError): void {
    this.#failure ??= error;
    this.#waiters.wake();
  }
}

function offsetError(expectedOffset: number): OffshootError {
  return new OffshootError('exec-input-offset', {
    message: `The input continues at offset ${String(expectedOffset)}.`,
    details: { expectedOffset },
  });
}
