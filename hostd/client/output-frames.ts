import { OffshootError } from '../errors/offshoot-error.ts';

export type OutputFrame =
  | { kind: 'stdout' | 'stderr'; bytes: Buffer }
  | { kind: 'end'; bytes: Buffer }
  | { kind: 'gap'; nextOffset: number }
  | { kind: 'keep-alive' };

const headerBytes = 5;
const maxFrameBytes = 16 * 1024 * 1024;
const kinds = ['keep-alive', 'stdout', 'stderr', 'end', 'gap'] as const;

/**
 * Reads the binary output form (contract/exec.ts). Bytes of output are handed on as they come, not gathered into whole frames first.
 * Throws `protocol-mismatch` for anything else than that form.
 */
export class OutputFrameParser {
  #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #kind: (typeof kinds)[number] = 'keep-alive';
  #missing = 0;
  /** An `end` or `gap` is gathered whole. */
  #gathered: Buffer[] = [];

  *push(chunk: Buffer): Generator<OutputFrame> {
    let position = 0;
    while (position < chunk.length) {
      if (this.#missing === 0) {
        position += this.#takeHeader(chunk, position);
        if (this.#headerFilled < headerBytes) return;
        this.#openFrame();
        if (this.#missing > 0) continue;
        yield* this.#closeFrame();
        continue;
      }
      const bytes = chunk.subarray(position, position + this.#missing);
      position += bytes.length;
      this.#missing -= bytes.length;
      if (this.#kind === 'end' || this.#kind === 'gap') this.#gathered.push(bytes);
      else if (this.#kind !== 'keep-alive') yield { kind: this.#kind, bytes };
      if (this.#missing === 0) yield* this.#closeFrame();
    }
  }

  #takeHeader(chunk: Buffer, position: number): number {
    const taken = chunk.copy(this.#header, this.#headerFilled, position, position + headerBytes - this.#headerFilled);
    this.#headerFilled += taken;
    return taken;
  }

  #openFrame(): void {
    const kind = kinds[this.#header[0] ?? 255];
    const length = this.#header.readUInt32LE(1);
    if (kind === undefined || length > maxFrameBytes || (kind === 'gap' && length !== 8)) {
      throw new OffshootError('protocol-mismatch', { message: 'The output of the exec has an unknown form.' });
    }
    this.#kind = kind;
    this.#missing = length;
  }

  *#closeFrame(): Generator<OutputFrame> {
    this.#headerFilled = 0;
    if (this.#kind === 'keep-alive') yield { kind: 'keep-alive' };
    if (this.#kind !== 'end' && this.#kind !== 'gap') return;
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    if (this.#kind === 'end') yield { kind: 'end', bytes };
    else yield { kind: 'gap', nextOffset: Number(bytes.readBigUInt64LE(0)) };
  }
}
