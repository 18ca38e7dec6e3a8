import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeTurn } from './step-lock.ts';

let folder: string;
let file: string;
const never = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-lock-'));
  file = path.join(folder, 'session.json');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('one at a time', async () => {
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    await using _turn = await takeTurn(file, never);
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    order.push(`${name} ends`);
  };
  await Promise.all([work('a'), work('b'), work('c')]);
  expect(order).toHaveLength(6);
  for (let i = 0; i < 6; i += 2) expect(order[i + 1]).toBe(order[i]?.replace('begins', 'ends'));
});

test('a process that died holds nothing up', async () => {
  await writeFile(`${file}.lock`, JSON.stringify({ pid: process.pid, startTicks: 1 }));
  await using _turn = await takeTurn(file, never);
});

test('who is cancelled waits no longer', async () => {
  await using _turn = await takeTurn(file, never);
  await expect(takeTurn(file, AbortSignal.timeout(50))).rejects.toThrow();
});
