import type { OutputChunk } from '../sandbox/host.ts';

/** Bytes of one stream that lie one after the other. */
export interface OutputRun {
  channel: 'stdout' | 'stderr';
  offset: number;
  parts: Buffer[];
  length: number;
}

const maxRunBytes = 64 * 1024;

/** Gathers chunks so that many small ones leave in few writes; the order of stdout and stderr stays. */
export class OutputBatch {
  #runs: OutputRun[] = [];
  #last: OutputRun | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: OutputChunk): void {
    const { channel, offset, bytes } = chunk;
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    const last = this.#last;
    if (
      last?.channel === channel &&
      last.offset + last.length === offset &&
      last.length + bytes.length <= maxRunBytes
    ) {
      last.parts.push(bytes);
      last.length += bytes.length;
      return;
    }
    this.#last = { channel, offset, parts: [bytes], length: bytes.length };
    this.#runs.push(this.#last);
  }

  take(): OutputRun[] {
    const runs = this.#runs;
    this.#runs = [];
    this.#last = undefined;
    this.#bytes = 0;
    return runs;
  }
}
