import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockState } from './state-lock.ts';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offshoot-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** Another process that takes the lock and holds it. */
async function otherHolder() {
  const script = `
    import { lockState } from '${new URL('./state-lock.ts', import.meta.url).pathname}';
    lockState(${JSON.stringify(directory)});
    gc();
    console.log('locked');
    setInterval(() => undefined, 1000);
  `;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

test('a state directory in use is refused, naming who uses it', () => {
  const lock = lockState(directory);
  expect(() => lockState(directory)).toThrow(
    expect.objectContaining({ code: 'state-locked', details: { stateDirectory: directory, pid: process.pid } }),
  );
  lock.release();
  lockState(directory).release();
});

test('the lock of a process that was killed with -9 is free at once', async () => {
  const child = await otherHolder();
  expect(() => lockState(directory)).toThrow(expect.objectContaining({ code: 'state-locked' }));
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockState(directory).release();
});
