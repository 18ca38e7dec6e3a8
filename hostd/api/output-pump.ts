import type { ServerResponse } from 'node:http';
import type { OutputChunk } from '../sandbox/host.ts';
import { OutputBatch } from './output-batch.ts';
import type { OutputEncoding } from './output-encoding.ts';
import { drained, keepAlive } from './paced.ts';

const maxBatchBytes = 256 * 1024;

export interface OutputPumpOptions {
  response: ServerResponse;
  encoding: OutputEncoding;
  from: number;
  keepAliveMs: number;
  signal: AbortSignal;
}

/**
 * Writes output chunks at the client's pace: what comes within one turn of the event loop leaves in one write,
 * and nothing more is asked for while the client has not taken what was written.
 */
export async function pumpOutput(chunks: AsyncIterable<OutputChunk>, options: OutputPumpOptions): Promise<void> {
  const { response, encoding, signal } = options;
  const batch = new OutputBatch();
  let nextOffset = options.from;
  let scheduled: NodeJS.Immediate | undefined;
  const life = keepAlive(response, options.keepAliveMs, () => response.write(encoding.keepAlive()));

  const flush = () => {
    scheduled = undefined;
    if (response.destroyed) return;
    life.heard();
    for (const run of batch.take()) {
      if (run.offset !== nextOffset) for (const part of encoding.gap(run.offset)) response.write(part);
      for (const part of encoding.run(run)) response.write(part);
      nextOffset = run.offset + run.length;
    }
  };

  try {
    for await (const chunk of chunks) {
      batch.add(chunk);
      if (batch.bytes >= maxBatchBytes) flush();
      else scheduled ??= setImmediate(flush);
      if (response.writableNeedDrain) await drained(response, signal);
      if (signal.aborted) break;
    }
  } finally {
    life.stop();
    clearImmediate(scheduled);
    flush();
  }
  await drained(response, signal);
}
