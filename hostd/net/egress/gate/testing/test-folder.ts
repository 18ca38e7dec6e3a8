import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder until the test ends. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-gate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
