import type { OutputChannel } from '../../guest/guest.ts';

/**
 * The index of an output log: 8 bytes (little-endian) for each run of one channel, its first offset times two plus the
 * channel. Runs are contiguous, so a run ends where the next begins, and any offset is found by halving.
 */
export const recordBytes = 8;

export interface Run {
  startOffset: number;
  channel: OutputChannel;
}

export function encodeRun(run: Run): Buffer {
  const record = Buffer.allocUnsafe(recordBytes);
  record.writeBigUInt64LE(BigInt(run.startOffset) * 2n + (run.channel === 'stderr' ? 1n : 0n));
  return record;
}

export function decodeRun(records: Buffer, index: number): Run {
  const value = records.readBigUInt64LE(index * recordBytes);
  return { startOffset: Number(value >> 1n), channel: (value & 1n) === 1n ? 'stderr' : 'stdout' };
}

/** Reads record number `index`. */
export type RunReader = (index: number) => Promise<Run>;

/** The run that holds an offset: the last that starts at or before it. There must be at least one. */
export async function findRun(read: RunReader, count: number, offset: number): Promise<number> {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const run = await read(middle);
    if (run.startOffset <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
