import { createHash } from 'node:crypto';
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

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Keeps digests only, for output that is too much to keep. */
export class DigestSink implements ExecSink {
  nextOffset = 0;
  writes = 0;
  readonly #digests = { all: createHash('sha256'), stdout: createHash('sha256'), stderr: createHash('sha256') };

  async write(channel: OutputChannel, offset: number, bytes: Buffer): Promise<void> {
    if (offset !== this.nextOffset) throw new Error(`expected ${String(this.nextOffset)}, got ${String(offset)}`);
    this.nextOffset += bytes.length;
    this.writes += 1;
    this.#digests.all.update(bytes);
    this.#digests[channel].update(bytes);
  }

  digest(which: 'all' | OutputChannel = 'all'): string {
    return this.#digests[which].digest('hex');
  }
}
