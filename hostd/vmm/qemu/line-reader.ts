import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The lines of a program's output, one at a time; none is lost between two calls. */
export class LineReader {
  readonly #lines: string[] = [];
  readonly #interface: Interface;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(stream: Readable) {
    this.#interface = createInterface({ input: stream, crlfDelay: Infinity });
    stream.on('error', () => this.#interface.close());
    this.#interface.on('line', (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.#interface.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** The next line; undefined when the output has ended. One caller at a time. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift();
  }
}
