const gatherBytes = 16 * 1024;
const maxPieceBytes = 64 * 1024;
const channelCount = 4;

/** A run of bytes of one channel. */
export interface Piece {
  channel: number;
  bytes: Buffer;
}

/**
 * Output that waits for a slow sink. Runs of one channel come out merged. What it holds is bounded by a small multiple
 * of its bytes whatever pieces they came in: a view that would pin much more memory than it shows is copied.
 */
export class Backlog {
  lengthBytes = 0;
  readonly #buffers: Buffer[] = [];
  #firstOffset = 0;
  /** Lengths with their channel, as `length * channelCount + channel`: plain numbers, since a hostile guest can make a million runs. */
  #runs: number[] = [];
  #firstRun = 0;
  #gather: Buffer | undefined;
  #gatherFill = 0;

  push(channel: number, bytes: Buffer): void {
    this.lengthBytes += bytes.length;
    const last = this.#runs.at(-1);
    if (last !== undefined && this.#runs.length > this.#firstRun && last % channelCount === channel)
      this.#runs[this.#runs.length - 1] = last + bytes.length * channelCount;
    else this.#runs.push(bytes.length * channelCount + channel);
    if (bytes.length * 4 >= bytes.buffer.byteLength) {
      this.#flushGather();
      this.#buffers.push(bytes);
      return;
    }
    for (let start = 0; start < bytes.length;) {
      this.#gather ??= Buffer.allocUnsafeSlow(gatherBytes);
      const copied = bytes.copy(this.#gather, this.#gatherFill, start);
      this.#gatherFill += copied;
      start += copied;
      if (this.#gatherFill === gatherBytes) this.#flushGather();
    }
  }

  /** The next bytes of one channel, at most 64 KiB. */
  shift(): Piece | undefined {
    const run = this.#runs[this.#firstRun];
    if (run === undefined) return undefined;
    const channel = run % channelCount;
    const length = Math.min((run - channel) / channelCount, maxPieceBytes);
    this.#runs[this.#firstRun] = run - length * channelCount;
    if (this.#runs[this.#firstRun] === channel) this.#dropRun();
    this.lengthBytes -= length;
    return { channel, bytes: this.#takeBytes(length) };
  }

  clear(): void {
    this.#buffers.length = 0;
    this.#runs = [];
    this.#firstRun = 0;
    this.#firstOffset = 0;
    this.#gather = undefined;
    this.#gatherFill = 0;
    this.lengthBytes = 0;
  }

  #takeBytes(length: number): Buffer {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      if (this.#buffers.length === 0) this.#flushGather();
      const [first] = this.#buffers;
      if (first === undefined) throw new Error('backlog: fewer bytes than its runs say');
      const part = first.subarray(this.#firstOffset, this.#firstOffset + missing);
      parts.push(part);
      missing -= part.length;
      this.#firstOffset += part.length;
      if (this.#firstOffset < first.length) continue;
      this.#buffers.shift();
      this.#firstOffset = 0;
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  #dropRun(): void {
    this.#firstRun += 1;
    if (this.#firstRun < 1024 || this.#firstRun * 2 < this.#runs.length) return;
    this.#runs = this.#runs.slice(this.#firstRun);
    this.#firstRun = 0;
  }

  #flushGather(): void {
    if (this.#gather === undefined || this.#gatherFill === 0) return;
    this.#buffers.push(this.#gather.subarray(0, this.#gatherFill));
    this.#gather = undefined;
    this.#gatherFill = 0;
  }
}
