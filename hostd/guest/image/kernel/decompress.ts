import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

/** Runs a filter over bytes and gives what it writes. Rejects with its stderr when it fails. */
export function runCheckedBytes(command: string, args: readonly string[], input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const [output, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stdin.on('error', () => undefined); // the filter says itself why it stopped reading
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output));
      else reject(new Error(`${command}: exit code ${String(code)}: ${Buffer.concat(errors).toString('utf8').trim()}`));
    });
    child.stdin.end(input);
  });
}

/** A kernel module's plain bytes, however the distribution compresses it (`.ko`, `.ko.xz`, `.ko.zst`, `.ko.gz`). */
export async function readModule(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  if (path.endsWith('.xz')) return runCheckedBytes('xz', ['-dc'], bytes);
  if (path.endsWith('.zst')) return zstdDecompressSync(bytes);
  if (path.endsWith('.gz')) return gunzipSync(bytes);
  return bytes;
}
