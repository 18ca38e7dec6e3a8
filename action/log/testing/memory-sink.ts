import type { LogSink } from '../stdout-sink.ts';

/** Keeps what was written, write by write. */
export class MemorySink implements LogSink {
  readonly writes: Buffer[] = [];

  write(text: Buffer): Promise<void> {
    this.writes.push(text);
    return Promise.resolve();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.writes);
  }

  /** The lines between the log's own first and last one. */
  get guestLines(): string[] {
    return this.bytes.toString('utf8').split('\n').slice(1, -2);
  }
}
