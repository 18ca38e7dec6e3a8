import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

const keptLines = 60;

/** The log of one build: a file, and its last lines for an error message. */
export class BuildLog {
  readonly path: string;
  readonly lastLines: string[] = [];
  readonly #stream: WriteStream;

  private constructor(file: string, stream: WriteStream) {
    this.path = file;
    this.#stream = stream;
  }

  /** Starts the file anew. */
  static async create(file: string): Promise<BuildLog> {
    await mkdir(path.dirname(file), { recursive: true });
    const stream = createWriteStream(file);
    stream.on('error', () => undefined); // a full disk shows in the build itself
    return new BuildLog(file, stream);
  }

  write(line: string): void {
    this.#stream.write(`${line}\n`);
    this.lastLines.push(line);
    if (this.lastLines.length > keptLines) this.lastLines.shift();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(resolve));
  }
}
