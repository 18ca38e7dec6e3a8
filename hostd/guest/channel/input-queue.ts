import { initialInputLimitBytes, ProtocolViolation } from '../protocol/frame.ts';

interface Piece {
  bytes: Buffer;
  startOffset: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** What goes to the guest next: whole pieces or parts of them, from `offset` on. */
export interface InputBatch {
  offset: number;
  parts: Buffer[];
}

/** Never trust the guest with more than this in flight, whatever limit it names. */
const maxInFlightBytes = 1024 * 1024;

/** The host-to-guest direction of one stream: keeps every byte until the guest has consumed it, so that a cut loses none. */
export class InputQueue {
  consumedBytes: number;
  #sentOffset: number;
  #highestSent: number;
  #queuedOffset: number;
  #limit: number;
  readonly #pieces: Piece[] = [];
  /** The first piece that may have bytes to send. */
  #sendIndex = 0;
  #closed = false;

  constructor(startOffset: number) {
    this.consumedBytes = startOffset;
    this.#sentOffset = startOffset;
    this.#highestSent = startOffset;
    this.#queuedOffset = startOffset;
    this.#limit = startOffset + initialInputLimitBytes;
  }

  /** Bytes queued and not yet consumed by the guest. */
  get backlogBytes(): number {
    return this.#queuedOffset - this.consumedBytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The final length once the input is closed and all of it has been sent: EOF may go. */
  get finalOffset(): number | undefined {
    return this.#closed && this.#sentOffset === this.#queuedOffset ? this.#queuedOffset : undefined;
  }

  /** Resolves when the guest has consumed the bytes. */
  push(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#pieces.push({ bytes, startOffset: this.#queuedOffset, resolve, reject });
      this.#queuedOffset += bytes.length;
    });
  }

  close(): void {
    this.#closed = true;
  }

  /** What may be sent now, counted as sent. */
  take(): InputBatch | undefined {
    const limit = Math.min(this.#limit, this.consumedBytes + maxInFlightBytes, this.#queuedOffset);
    if (this.#sentOffset >= limit) return undefined;
    const batch: InputBatch = { offset: this.#sentOffset, parts: [] };
    while (this.#sentOffset < limit) {
      const piece = this.#pieces[this.#sendIndex];
      if (piece === undefined) break;
      const endOffset = piece.startOffset + piece.bytes.length;
      const partEnd = Math.min(endOffset, limit);
      if (partEnd > this.#sentOffset) {
        batch.parts.push(piece.bytes.subarray(this.#sentOffset - piece.startOffset, partEnd - piece.startOffset));
        this.#sentOffset = partEnd;
      }
      if (partEnd === endOffset) this.#sendIndex += 1;
    }
    this.#highestSent = Math.max(this.#highestSent, this.#sentOffset);
    return batch;
  }

  /** ACK: true when it moved anything. Throws ProtocolViolation. */
  acknowledge(consumedBytes: number, limit: number): boolean {
    if (consumedBytes > this.#sentOffset) throw new ProtocolViolation('ACK of input that was never sent');
    if (limit < consumedBytes) throw new ProtocolViolation('ACK with a limit below what it acknowledges');
    const moved = consumedBytes > this.consumedBytes || limit > this.#limit;
    this.#limit = Math.max(this.#limit, limit);
    this.#consume(consumedBytes);
    return moved;
  }

  /** A new session: the guest has `receivedBytes` and takes more up to `limit`. Throws ProtocolViolation. */
  resume(receivedBytes: number, limit: number): void {
    if (receivedBytes > this.#highestSent) throw new ProtocolViolation('a stream received input that was never sent');
    if (receivedBytes < this.consumedBytes) throw new ProtocolViolation('a stream has lost input it acknowledged');
    this.#consume(receivedBytes);
    this.#sentOffset = receivedBytes;
    this.#sendIndex = 0;
    this.#limit = limit;
  }

  /** The stream never arrived: everything is sent again from the start. */
  restart(): void {
    this.#sentOffset = this.consumedBytes;
    this.#sendIndex = 0;
    this.#limit = this.consumedBytes + initialInputLimitBytes;
  }

  fail(error: unknown): void {
    this.#closed = true;
    for (const piece of this.#pieces.splice(0)) piece.reject(error);
    this.#sendIndex = 0;
    this.#queuedOffset = this.#sentOffset;
  }

  #consume(offset: number): void {
    if (offset <= this.consumedBytes) return;
    this.consumedBytes = offset;
    let done = 0;
    for (const piece of this.#pieces) {
      if (piece.startOffset + piece.bytes.length > offset) break;
      piece.resolve();
      done += 1;
    }
    this.#pieces.splice(0, done);
    this.#sendIndex = Math.max(0, this.#sendIndex - done);
  }
}
