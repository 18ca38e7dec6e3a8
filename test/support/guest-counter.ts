import { expect } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';

/** How long a guest may take on a busy machine to run a little further. */
const patienceMs = 60_000;

/** 0 when the file is not there yet, or just now empty: a shell that writes it anew empties it first. */
async function read(sandbox: Sandbox, file: string): Promise<number> {
  const { stdout } = await sandbox.exec(['cat', file]);
  return Number(stdout);
}

/** The number in a file that a program of the guest counts up; waits for the first. */
export async function countIn(sandbox: Sandbox, file: string): Promise<number> {
  let count = 0;
  await expect
    .poll(async () => (count = await read(sandbox, file)), { timeout: patienceMs, interval: 50 })
    .toBeGreaterThan(0);
  return count;
}

/** Resolves when the program that counts in the file has gone on from where it is. */
export async function expectCounting(sandbox: Sandbox, file: string): Promise<void> {
  const before = await countIn(sandbox, file);
  await expect.poll(() => read(sandbox, file), { timeout: patienceMs, interval: 50 }).toBeGreaterThan(before);
}
