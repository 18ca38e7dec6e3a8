import { open, stat, truncate } from 'node:fs/promises';
import type { LogPaths } from './output-files.ts';
import { decodeRun, recordBytes, type Run } from './output-index.ts';

export interface RecoveredLog {
  storedBytes: number;
  runs: number;
  lastRun: Run | undefined;
}

/**
 * Reads how far a log got whose writer died or met a full disk, and cuts the index to it: half a record and runs
 * without bytes go. Runs are written before their bytes, so nothing of the data file is ever without a run, unless the
 * host itself lost power; then the bytes behind the last good run count to that run.
 */
export async function recoverLog(paths: LogPaths): Promise<RecoveredLog> {
  const [dataBytes, indexBytes] = await Promise.all([sizeOf(paths.data), sizeOf(paths.index)]);
  if (dataBytes === 0) {
    if (indexBytes > 0) await truncate(paths.index, 0);
    return { storedBytes: 0, runs: 0, lastRun: undefined };
  }
  const { runs, lastRun } = await lastGoodRun(paths.index, Math.floor(indexBytes / recordBytes), dataBytes);
  if (runs * recordBytes !== indexBytes) await truncate(paths.index, runs * recordBytes);
  if (lastRun !== undefined) return { storedBytes: dataBytes, runs, lastRun };
  await truncate(paths.data, 0); // no run at all: nobody could read it
  return { storedBytes: 0, runs: 0, lastRun: undefined };
}

async function lastGoodRun(
  path: string,
  count: number,
  dataBytes: number,
): Promise<{ runs: number; lastRun: Run | undefined }> {
  if (count === 0) return { runs: 0, lastRun: undefined };
  const file = await open(path, 'r');
  try {
    const record = Buffer.alloc(recordBytes);
    for (let runs = count; runs > 0; runs -= 1) {
      await file.read(record, 0, recordBytes, (runs - 1) * recordBytes);
      const run = decodeRun(record, 0);
      const first = runs === 1;
      if (run.startOffset < dataBytes && first === (run.startOffset === 0)) return { runs, lastRun: run };
    }
    return { runs: 0, lastRun: undefined };
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    () => 0,
  );
}
