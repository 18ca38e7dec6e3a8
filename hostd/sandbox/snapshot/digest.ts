import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { installation } from '../../platform/installation.ts';

const chunkBytes = 1024 * 1024;

/**
 * SHA-256 of each file: of its size and its chunks that are not all zero, each behind its offset, so that holes cost next to nothing. Runs on
 * a thread of its own. Throws what reading throws.
 */
export async function digestFiles(paths: readonly string[]): Promise<string[]> {
  const worker = new Worker(installation.digestWorker, { workerData: { digestPaths: paths } });
  return new Promise((resolve, reject) => {
    worker.once('message', (digests: string[]) => resolve(digests));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The digest thread ended with ${String(code)}.`)));
  });
}

export function digestFile(path: string): string {
  const file = openSync(path, 'r');
  try {
    const sizeBytes = fstatSync(file).size;
    const hash = createHash('sha256').update(`${String(sizeBytes)}\n`);
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const zeros = Buffer.alloc(chunkBytes);
    for (let offset = 0; offset < sizeBytes;) {
      const length = readSync(file, chunk, 0, Math.min(chunkBytes, sizeBytes - offset), offset);
      if (length === 0) throw new Error(`${path} became shorter while it was read.`);
      const part = chunk.subarray(0, length);
      if (!part.equals(zeros.subarray(0, length))) hash.update(`${String(offset)}\n`).update(part);
      offset += length;
    }
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}
