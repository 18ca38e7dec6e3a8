import { open, type FileHandle } from 'node:fs/promises';
import type { OutputChunk } from '../host.ts';
import type { LogState } from './output-log.ts';
import { decodeRun, findRun, recordBytes, type Run } from './output-index.ts';

const chunkBytes = 64 * 1024;
const runsPerRead = 512;

/**
 * Reads a log from an offset, at the reader's pace: nothing is read ahead of what was asked for. With `follow` it goes
 * on until the log has ended or was released; an aborted signal ends it early and quietly.
 */
export async function* readOutput(
  log: LogState,
  from: number,
  follow: boolean,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk> {
  let offset = from;
  let reader: LogReader | undefined;
  try {
    while (!signal.aborted) {
      const { storedBytes, runs, ended, released } = log;
      if (offset < storedBytes) {
        reader ??= await LogReader.open(log);
        for await (const chunk of reader.chunks(offset, storedBytes, runs)) {
          yield chunk;
          offset = chunk.offset + chunk.bytes.length;
          if (signal.aborted) return;
        }
      } else if (ended || released || !follow) {
        return;
      } else {
        await log.changed(signal);
      }
    }
  } finally {
    await reader?.close();
  }
}

class LogReader {
  readonly #data: FileHandle;
  readonly #index: FileHandle;

  private constructor(data: FileHandle, index: FileHandle) {
    this.#data = data;
    this.#index = index;
  }

  static async open(log: LogState): Promise<LogReader> {
    const data = await open(log.paths.data, 'r');
    try {
      return new LogReader(data, await open(log.paths.index, 'r'));
    } catch (error) {
      await data.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#data.close(), this.#index.close()]);
  }

  /** Everything from `offset` to `end`, one chunk for each piece of a run. */
  async *chunks(offset: number, end: number, runCount: number): AsyncGenerator<OutputChunk> {
    let position = offset;
    let runs = await this.#runsFrom(await findRun((index) => this.#run(index), runCount, position), runCount, end);
    let bytes = Buffer.alloc(0);
    let bytesStart = position;
    while (position < end) {
      const run = runs.at(position);
      if (run === undefined) {
        runs = await this.#runsFrom(runs.next, runCount, end);
        continue;
      }
      if (position >= bytesStart + bytes.length) {
        bytesStart = position;
        bytes = await this.#read(position, Math.min(chunkBytes, end - position));
      }
      const stop = Math.min(run.endOffset, bytesStart + bytes.length);
      yield { channel: run.channel, offset: position, bytes: bytes.subarray(position - bytesStart, stop - bytesStart) };
      position = stop;
    }
  }

  async #runsFrom(first: number, runCount: number, end: number): Promise<RunWindow> {
    const count = Math.min(runsPerRead, runCount - first);
    // One more than shown, to know where the last one ends.
    const wanted = Math.min(count + 1, runCount - first);
    const records = Buffer.alloc(wanted * recordBytes);
    await readFully(this.#index, records, first * recordBytes);
    const starts = Array.from({ length: wanted }, (_, index) => decodeRun(records, index));
    return new RunWindow(first, starts.slice(0, count), starts[count]?.startOffset ?? end);
  }

  async #run(index: number): Promise<Run> {
    const record = Buffer.alloc(recordBytes);
    await readFully(this.#index, record, index * recordBytes);
    return decodeRun(record, 0);
  }

  async #read(position: number, length: number): Promise<Buffer<ArrayBuffer>> {
    const bytes = Buffer.allocUnsafeSlow(length);
    await readFully(this.#data, bytes, position);
    return bytes;
  }
}

/** A few consecutive runs, walked forward. */
class RunWindow {
  readonly next: number;
  readonly #runs: readonly Run[];
  readonly #end: number;
  #current = 0;

  constructor(first: number, runs: readonly Run[], end: number) {
    this.next = first + runs.length;
    this.#runs = runs;
    this.#end = end;
  }

  at(offset: number): { channel: Run['channel']; endOffset: number } | undefined {
    for (; this.#current < this.#runs.length; this.#current += 1) {
      const endOffset = this.#runs[this.#current + 1]?.startOffset ?? this.#end;
      const run = this.#runs[this.#current];
      if (run !== undefined && offset < endOffset) return { channel: run.channel, endOffset };
    }
    return undefined;
  }
}

async function readFully(file: FileHandle, into: Buffer, position: number): Promise<void> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await file.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) throw new Error('An output file is shorter than its log says.');
    done += bytesRead;
  }
}
