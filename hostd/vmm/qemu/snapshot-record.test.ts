import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  readSnapshotRecord,
  requireSameMachine,
  stampMemory,
  writeSnapshotRecord,
  type SnapshotRecord,
} from './snapshot-record.ts';

let state: string;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'snapshot-'));
  await mkdir(join(state, 'template'));
  await writeFile(join(state, 'template/memory'), 'RAM');
});

afterEach(() => rm(state, { recursive: true }));

function files(root = state) {
  const at = (name: string) => join(root, 'template', name);
  return { directory: at(''), memory: at('memory'), devices: at('devices'), disk: at('disk'), overlaySeed: at('seed') };
}

async function record(): Promise<SnapshotRecord> {
  return {
    formatVersion: 1,
    restoreKey: 'key',
    cpus: 1,
    memoryMiB: 512,
    link: { guestMac: 'aa', mtu: 1400 },
    baseDisk: { path: join(state, 'images/root.raw'), format: 'raw' },
    memoryStamp: await stampMemory(files().memory),
  };
}

async function write(): Promise<void> {
  await writeSnapshotRecord(files().directory, await record());
}

test('is read as written, and follows a state directory that is moved', async () => {
  await write();
  expect(await readSnapshotRecord(files())).toEqual(await record());
  const moved = `${state}-moved`;
  await rename(state, moved);
  state = moved;
  expect((await readSnapshotRecord(files())).baseDisk.path).toBe(join(moved, 'images/root.raw'));
});

test.each(['content', 'content with its time set back', 'size'])(
  'a memory image changed in %s is refused',
  async (what) => {
    await write();
    const path = files().memory;
    const clock = join(state, 'clock');
    execFileSync('touch', ['-r', path, clock]);
    await writeFile(path, what === 'size' ? 'RAM!' : 'rom');
    if (what.endsWith('set back')) execFileSync('touch', ['-r', clock, path]);
    await expect(readSnapshotRecord(files())).rejects.toMatchObject({
      code: 'boot-failed',
      details: { reason: 'snapshot-tampered' },
    });
  },
);

test('a snapshot without record, with a damaged one, or without memory is not whole', async () => {
  const missing = { code: 'boot-failed', details: { reason: 'snapshot-missing' } };
  await expect(readSnapshotRecord(files())).rejects.toMatchObject(missing);
  await writeFile(join(files().directory, 'machine.json'), '{}');
  await expect(readSnapshotRecord(files())).rejects.toMatchObject(missing);
  await write();
  await rm(files().memory);
  await expect(readSnapshotRecord(files())).rejects.toMatchObject(missing);
});

test('another machine than the saved one is refused by name', async () => {
  const saved = await record();
  expect(() => requireSameMachine(saved, saved)).not.toThrow();
  expect(() => requireSameMachine(saved, { ...saved, cpus: 2, link: null })).toThrow('another cpus, guestMac, mtu');
  expect(() => requireSameMachine(saved, { ...saved, restoreKey: 'new', memoryMiB: 1 })).toThrow(
    'another host or VMM, memoryMiB',
  );
});
