import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ExecSink, OutputChannel } from '../../guest/guest.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { Waiters } from '../../platform/waiters.ts';
import { isDiskFull, openLogFiles, writeAll, type LogFiles, type LogPaths } from './output-files.ts';
import { encodeRun, recordBytes, type Run } from './output-index.ts';
import { recoverLog } from './output-recovery.ts';

export interface LogLimits {
  /** Bytes kept of the output; the index may take as much again. */
  maxBytes: number;
}

/** What readers may rely on: bytes and runs that are whole in the files. */
export interface LogState {
  readonly paths: LogPaths;
  readonly storedBytes: number;
  readonly runs: number;
  readonly ended: boolean;
  /** Nobody writes to it any more, though its exec goes on: it is taken up under another one. */
  readonly released: boolean;
  /** Resolves at the next change of the above, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
}

/** A small cap on the bytes still leaves room for a few hundred runs. */
const leastIndexBytes = 4096;

interface Pending {
  channel: OutputChannel;
  offset: number;
  bytes: Buffer;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Why bytes were not kept: the cap, the host's disk, or a guest that no longer had them. */
export type LossReason = 'cap' | 'disk-full' | 'gap';

/**
 * The output of one exec on disk: one file of bytes at their offsets, one of runs (output-index.ts). A run is written
 * before its bytes, so whatever moment hostd dies at, every byte in the data file has its channel; the bytes' number
 * is what was received. Files appear with the first byte.
 */
export class OutputLog implements ExecSink, LogState {
  readonly paths: LogPaths;
  readonly #limits: LogLimits;
  readonly #onLoss: (reason: LossReason) => void;
  readonly #waiters = new Waiters();
  #queue: Pending[] = [];
  #writing: Promise<void> | undefined;
  #files: LogFiles | undefined;
  #storedBytes = 0;
  #runs = 0;
  #lastRun: Run | undefined;
  #loss: LossReason | undefined;
  #closing = false;
  #ended = false;

  /** `onLoss` is called once, before anything that is not kept is acknowledged. */
  constructor(paths: LogPaths, limits: LogLimits, onLoss: (reason: LossReason) => void) {
    this.paths = paths;
    this.#limits = limits;
    this.#onLoss = onLoss;
  }

  /** Takes up what an earlier hostd left, mending the end of the index. `loss` is what that one had told to `onLoss`. */
  static async reopen(
    paths: LogPaths,
    limits: LogLimits,
    onLoss: (reason: LossReason) => void,
    truncated: boolean,
  ): Promise<OutputLog> {
    const log = new OutputLog(paths, limits, onLoss);
    const found = await recoverLog(paths);
    log.#storedBytes = found.storedBytes;
    log.#runs = found.runs;
    log.#lastRun = found.lastRun;
    if (truncated) log.#loss = 'cap';
    return log;
  }

  get storedBytes(): number {
    return this.#storedBytes;
  }

  get runs(): number {
    return this.#runs;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get released(): boolean {
    return this.#closing && !this.#ended;
  }

  get loss(): LossReason | undefined {
    return this.#loss;
  }

  write(channel: OutputChannel, offset: number, bytes: Buffer): Promise<void> {
    if (this.#closing) return Promise.reject(new OffshootError('exec-ended'));
    return new Promise((done, failed) => {
      this.#queue.push({ channel, offset, bytes, done: () => done(), failed });
      this.#writing ??= this.#drain();
    });
  }

  /** No more output comes: followers end. Waits for what is being written. */
  async end(): Promise<void> {
    this.#closing = true;
    await this.#writing;
    this.#ended = true;
    await this.#close();
    this.#waiters.wake();
  }

  /** The exec runs on without it: what was written stays, readers are not told of an end. */
  async release(): Promise<void> {
    this.#closing = true;
    await this.#writing;
    await this.#close();
    this.#waiters.wake();
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(signal);
  }

  /** Resolves when all that was written so far is stored. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // so that #writing is set before anything happens
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#store(batch);
        for (const write of batch) write.done();
      } catch (error) {
        for (const write of batch) write.failed(error);
      }
    }
    this.#writing = undefined;
  }

  async #store(batch: readonly Pending[]): Promise<void> {
    const runs: Buffer[] = [];
    const pieces: Buffer[] = [];
    let end = this.#storedBytes;
    let last = this.#lastRun;
    for (const write of batch) {
      const bytes = this.#keep(write, end, this.#runs + runs.length, last);
      if (bytes.length === 0) continue;
      if (last?.channel !== write.channel) {
        last = { startOffset: end, channel: write.channel };
        runs.push(encodeRun(last));
      }
      pieces.push(bytes);
      end += bytes.length;
    }
    if (pieces.length === 0) return;
    try {
      const files = (this.#files ??= await openLogFiles(this.paths));
      if (runs.length > 0) await writeAll(files.index, runs, this.#runs * recordBytes);
      await faultPoint('exec.index-written');
      await writeAll(files.data, pieces, this.#storedBytes);
      await faultPoint('exec.output-written');
      this.#storedBytes = end;
      this.#runs += runs.length;
      this.#lastRun = last;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await this.#settleFullDisk();
    }
    this.#waiters.wake();
  }

  /** The part of a write that continues the log at `end` and is still to be kept. */
  #keep(write: Pending, end: number, runs: number, last: Run | undefined): Buffer {
    if (this.#loss !== undefined) return write.bytes.subarray(0, 0);
    if (write.offset > end) {
      this.#lose('gap');
      return write.bytes.subarray(0, 0);
    }
    const fresh = write.bytes.subarray(end - write.offset);
    if (fresh.length === 0) return fresh;
    const needsRun = last?.channel !== write.channel;
    if (needsRun && (runs + 1) * recordBytes > Math.max(this.#limits.maxBytes, leastIndexBytes)) {
      this.#lose('cap');
      return fresh.subarray(0, 0);
    }
    const kept = fresh.subarray(0, this.#limits.maxBytes - end);
    if (kept.length < fresh.length) this.#lose('cap');
    return kept;
  }

  #lose(reason: LossReason): void {
    this.#loss = reason;
    this.#onLoss(reason);
  }

  /** What reached the files before the disk was full is kept; nothing more is. */
  async #settleFullDisk(): Promise<void> {
    this.#lose('disk-full');
    await this.#close();
    const found = await recoverLog(this.paths);
    this.#storedBytes = found.storedBytes;
    this.#runs = found.runs;
    this.#lastRun = found.lastRun;
  }

  async #close(): Promise<void> {
    const files = this.#files;
    this.#files = undefined;
    await Promise.all([files?.data.close(), files?.index.close()]);
  }
}
