import { expect } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';

/** As promised: right to 500 ms. How long the exec takes does not matter. */
export async function expectRightClock(sandbox: Sandbox): Promise<void> {
  const startMs = Date.now();
  const { stdout } = await sandbox.exec('date +%s%3N', { check: true });
  expect(Number(stdout)).toBeGreaterThan(startMs - 500);
  expect(Number(stdout)).toBeLessThan(Date.now() + 500);
}
