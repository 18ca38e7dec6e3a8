import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  installation
} from "./chunk-ZKOMBEYM.mjs";

// hostd/sandbox/snapshot/digest.ts
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Worker } from "node:worker_threads";
var chunkBytes = 1024 * 1024;
async function digestFiles(paths) {
  const worker = new Worker(installation.digestWorker, { workerData: { digestPaths: paths } });
  return new Promise((resolve, reject) => {
    worker.once("message", (digests) => resolve(digests));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The digest thread ended with ${String(code)}.`)));
  });
}
function digestFile(path) {
  const file = openSync(path, "r");
  try {
    const sizeBytes = fstatSync(file).size;
    const hash = createHash("sha256").update(`${String(sizeBytes)}
`);
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const zeros = Buffer.alloc(chunkBytes);
    for (let offset = 0; offset < sizeBytes; ) {
      const length = readSync(file, chunk, 0, Math.min(chunkBytes, sizeBytes - offset), offset);
      if (length === 0) throw new Error(`${path} became shorter while it was read.`);
      const part = chunk.subarray(0, length);
      if (!part.equals(zeros.subarray(0, length))) hash.update(`${String(offset)}
`).update(part);
      offset += length;
    }
    return hash.digest("hex");
  } finally {
    closeSync(file);
  }
}

export {
  digestFiles,
  digestFile
};
