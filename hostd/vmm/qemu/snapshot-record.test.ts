import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { snapshotFormatVersion } from './machine-record.ts';
import {
  attestMemory,
  readDiskRecord,
  readSnapshotRecord,
  requireSameHardware,
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
    formatVersion: snapshotFormatVersion,
    hardware: {
      origin: { name: 'qemu', version: '7.2', machine: 'm', cpuModel: 'c', restoreKey: 'key', tier: 'emulated' },
      cpus: 1,
      memoryMiB: 512,
      link: { guestMac: 'aa', mtu: 1400 },
    },
    layers: [
      { path: files().disk, format: 'qcow2', sealed: true },
      { path: join(state, 'images/root.raw'), format: 'raw', sealed: true },
    ],
    foundation: 2,
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
  expect((await readSnapshotRecord(files())).layers.map(({ path }) => path)).toEqual([
    join(moved, 'template/disk'),
    join(moved, 'images/root.raw'),
  ]);
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

test('a snapshot without memory still tells its disk', async () => {
  await write();
  await rm(files().memory);
  expect((await readDiskRecord(files())).layers).toHaveLength(2);
});

test('content found right is taken as it is, without a change of the record; a later change is noticed', async () => {
  await write();
  const before = await readFile(join(files().directory, 'machine.json'), 'utf8');
  await writeFile(files().memory, 'RAM');
  await expect(readSnapshotRecord(files())).rejects.toMatchObject({ details: { reason: 'snapshot-tampered' } });
  await attestMemory(files());
  await readSnapshotRecord(files());
  expect(await readFile(join(files().directory, 'machine.json'), 'utf8')).toBe(before);
  await writeFile(files().memory, 'ram');
  await expect(readSnapshotRecord(files())).rejects.toMatchObject({ details: { reason: 'snapshot-tampered' } });
});

test('other hardware than the saved is refused by name', async () => {
  const saved = (await record()).hardware;
  expect(() => requireSameHardware(saved, saved)).not.toThrow();
  expect(() => requireSameHardware(saved, { ...saved, cpus: 2, link: null })).toThrow('another cpus, guestMac, mtu');
  expect(() => requireSameHardware(saved, { ...saved, memoryMiB: 1 })).toThrow('another memoryMiB');
});
