import type { ExecSink, GuestExecSpec, OutputChannel } from '../../guest.ts';

export const catSpec: GuestExecSpec = { argv: ['cat'], env: {}, cwd: '/workspace', user: 'root', stdin: true };

/** Keeps everything, checks that offsets are contiguous, and resolves when told: at once unless `hold` is set. */
export class CollectingSink implements ExecSink {
  readonly all: Buffer[] = [];
  readonly stdout: Buffer[] = [];
  readonly stderr: Buffer[] = [];
  nextOffset: number;
  gapBytes = 0;
  writes = 0;
  hold: (() => Promise<void>) | undefined;

  constructor(startOffset = 0) {
    this.nextOffset = startOffset;
  }

  async write(channel: OutputChannel, offset: number, bytes: Buffer): Promise<void> {
    if (offset < this.nextOffset) throw new Error(`doubled: ${String(offset)} after ${String(this.nextOffset)}`);
    this.gapBytes += offset - this.nextOffset;
    this.nextOffset = offset + bytes.length;
    this.writes += 1;
    this.all.push(bytes);
    this[channel].push(bytes);
    await this.hold?.();
  }

  get text(): string {
    return Buffer.concat(this.all).toString();
  }
}
