import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endProcess, identify, isAlive } from './process.ts';

test('a process is told from another with its number, and ended once', async () => {
  const child = spawn('sleep', ['600']);
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('not found');
  expect(isAlive(identity)).toBe(true);
  const other = { ...identity, startTicks: '1' };
  expect(isAlive(other)).toBe(false);
  endProcess(other);
  expect(isAlive(identity)).toBe(true);
  endProcess(identity);
  expect((await once(child, 'exit'))[1]).toBe('SIGTERM');
  expect(isAlive(identity)).toBe(false);
  endProcess(identity);
});
