import type { OutputChunk } from '../../sandbox/host.ts';

/** An exec's output in memory, with the same promise as the real one: any offset, any number of readers, each at its own pace. */
export class FakeOutput {
  #chunks: OutputChunk[] = [];
  #length = 0;
  #ended = false;
  #wake = Promise.withResolvers<undefined>();
  /** How many chunks readers have asked for. */
  delivered = 0;
  /** Readers that were told to stop. */
  aborted = 0;

  get length(): number {
    return this.#length;
  }

  write(channel: 'stdout' | 'stderr', text: string | Buffer): void {
    const bytes = Buffer.from(text);
    this.#chunks.push({ channel, offset: this.#length, bytes });
    this.#length += bytes.length;
    this.#notify();
  }

  /** Leaves bytes out, as a host does that no longer has them. */
  skip(byteCount: number): void {
    this.#length += byteCount;
  }

  end(): void {
    this.#ended = true;
    this.#notify();
  }

  async *read(from: number, follow: boolean, signal: AbortSignal): AsyncGenerator<OutputChunk> {
    const onAbort = () => {
      this.aborted += 1;
      this.#notify();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    for (let index = 0; !signal.aborted;) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) {
        if (this.#ended || !follow) return;
        await this.#wake.promise;
        continue;
      }
      index += 1;
      const end = chunk.offset + chunk.bytes.length;
      if (end <= from) continue;
      this.delivered += 1;
      const cut = Math.max(0, from - chunk.offset);
      yield { ...chunk, offset: chunk.offset + cut, bytes: chunk.bytes.subarray(cut) };
    }
  }

  #notify(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers<undefined>();
  }
}
