import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isForkFailed, Sandbox } from '../hostd/client/index.ts';
import { runChecked, systemRunner } from '../hostd/platform/run.ts';
import { useHostd } from './support/suite.ts';

const config = { sandboxes: { maxSandboxes: 4, forkImageDirectory: '' } };
let imageDirectory = '';

beforeAll(async () => {
  imageDirectory = await mkdtemp(path.join(tmpdir(), 'offshoot-images-'));
  await runChecked(systemRunner, 'mount', ['-t', 'tmpfs', '-o', 'size=2g', 'none', imageDirectory]);
  config.sandboxes.forkImageDirectory = imageDirectory;
});

afterAll(async () => {
  await runChecked(systemRunner, 'umount', [imageDirectory]);
  await rm(imageDirectory, { recursive: true });
});

const suite = useHostd(config);

const answer = async (sandbox: Sandbox) => (await sandbox.exec('echo on', { check: true })).stdout.trim();
const alive = async () => (await Sandbox.list({ connection: { host: suite.host } })).map(({ id }) => id);

test('a fork for which there is room in part starts what it can, and the error tells the rest', async () => {
  await using source = await suite.create();
  const error: unknown = await source.fork({ count: 5 }).catch((failure: unknown) => failure);
  if (!isForkFailed(error)) throw error;
  expect(error.details.failures.map(({ code }) => code)).toEqual(['capacity-exhausted', 'capacity-exhausted']);
  expect(error.details.startedSandboxIds).toHaveLength(3);
  for (const id of error.details.startedSandboxIds) {
    const copy = await Sandbox.connect(id, { host: suite.host });
    expect(await answer(copy)).toBe('on');
    await copy.stop();
  }
  expect(await alive()).toEqual([source.id]);
});

test('an abort stops what the fork has started, and the source goes on', async () => {
  await using source = await suite.create();
  for (const afterMs of [0, 30, 80, 150, 250, 400]) {
    const forking = source.fork({ count: 3, signal: AbortSignal.timeout(afterMs) });
    const copies = await forking.catch(() => undefined);
    for (const copy of copies ?? []) await copy.stop();
    expect(await alive()).toEqual([source.id]);
    expect(await answer(source)).toBe('on');
  }
});

test('no room for the image in memory: it goes to the state directory', async () => {
  await using source = await suite.create();
  await runChecked(systemRunner, 'mount', ['-o', 'remount,size=24m', imageDirectory]);
  try {
    await using copy = await source.fork();
    expect(await answer(copy)).toBe('on');
  } finally {
    await runChecked(systemRunner, 'mount', ['-o', 'remount,size=2g', imageDirectory]);
  }
});
