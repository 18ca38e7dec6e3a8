import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hostBootId, identifyProcess } from '../../platform/process-identity.ts';
import { systemRunner } from '../../platform/run.ts';
import type { RestoreStart, VmLaunch, VmSnapshotFiles, VmSnapshotOrigin } from '../vmm.ts';
import { restoreKeyOf } from './compatibility.ts';
import { readMachineRecord, writeMachineRecord } from './machine-record.ts';
import { planRestore } from './plan-restore.ts';
import type { PlannedMachine } from './plan-machine.ts';
import { stampMemory, writeSnapshotRecord } from './snapshot-record.ts';

let root: string;
let snapshot: VmSnapshotFiles;

const shape = { cpus: 1, memoryMiB: 512, diskMiB: 4096 };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'plan-restore-'));
  const directory = join(root, 'snapshot');
  await mkdir(directory);
  const at = (name: string) => join(directory, name);
  snapshot = { directory, memory: at('memory'), devices: at('devices'), disk: at('disk'), overlaySeed: at('seed') };
  for (const name of ['memory', 'devices', 'disk', 'seed', 'base']) await writeFile(at(name), name);
  const layers = [
    { path: snapshot.disk, format: 'qcow2' as const, sealed: false },
    { path: at('base'), format: 'raw' as const, sealed: true },
  ];
  const hardware = { origin: origin('7.2.22 (a)'), cpus: 1, memoryMiB: 512, link: null };
  const memoryStamp = await stampMemory(snapshot.memory);
  await writeSnapshotRecord(directory, { hardware, layers, foundation: 1, memoryStamp });
});

afterEach(() => rm(root, { recursive: true }));

function origin(qemu: string): VmSnapshotOrigin {
  const facts = { snapshot: '2', 'command-line': '4', qemu, machine: 'm', accel: 'tcg', cpu: 'max', host: 'h' };
  return {
    name: 'qemu',
    version: qemu,
    machine: 'm',
    cpuModel: 'max',
    tier: 'emulated',
    restoreKey: restoreKeyOf(facts),
  };
}

async function plan(
  start: Partial<RestoreStart> = {},
  { qemu = '7.2.22 (a)', memoryMiB = 512 } = {},
): Promise<PlannedMachine> {
  const directory = join(root, 'machine');
  await mkdir(directory, { recursive: true });
  const restore: RestoreStart = { kind: 'restore', snapshot, ...start };
  const launch: VmLaunch = { directory, shape: { ...shape, memoryMiB }, uid: 64123, gid: 64124, start: restore };
  const version = { text: qemu, major: 7, minor: 2 };
  const planned = await planRestore(launch, restore, { runner: systemRunner, version, origin: origin(qemu) });
  await writeMachineRecord(directory, planned.record);
  return planned;
}

const inMachine = (name: string) => join(root, 'machine', name);

test('layers get names in the machine’s own folder and the overlay is its user’s', async () => {
  const { plan: made, record } = await plan();
  expect(made.layers.map(({ node, path }) => [node, path])).toEqual([
    ['layer-1', inMachine('layer-1.qcow2')],
    ['layer-0', inMachine('layer-0.raw')],
  ]);
  expect(made.overlay).toEqual({ node: 'overlay-0', file: 'overlay-0.qcow2' });
  expect(made.boot).toEqual({ kind: 'restore', devices: snapshot.devices, deferred: false });
  expect(record.chain.map(({ path, fdset, sealed }) => [path, fdset, sealed])).toEqual([
    ['overlay-0.qcow2', null, false],
    ['layer-1.qcow2', 20, false],
    ['layer-0.raw', 21, true],
  ]);
  expect(record).toMatchObject({ foundation: 1, nextOverlay: 1, capturable: true, paused: false });
  await rm(snapshot.directory, { recursive: true });
  expect(await readFile(inMachine('layer-1.qcow2'), 'utf8')).toBe('disk');
  const overlay = await stat(inMachine('overlay-0.qcow2'));
  expect([overlay.uid, overlay.gid, overlay.mode & 0o777]).toEqual([64123, 64124, 0o600]);
});

test('another build of the series is tried, another series refused with the reason', async () => {
  await plan({}, { qemu: '7.2.23 (b)' });
  await rm(join(root, 'machine'), { recursive: true });
  await expect(plan({}, { qemu: '8.2.0' })).rejects.toMatchObject({
    code: 'boot-failed',
    message: expect.stringContaining('QEMU build (7.2.22 (a), now 8.2.0)') as string,
    details: { reason: 'snapshot-mismatch' },
  });
  await expect(plan({}, { memoryMiB: 1024 })).rejects.toMatchObject({ details: { reason: 'snapshot-mismatch' } });
});

test('going on needs a disk that was saved in the machine’s folder', async () => {
  const refused = { code: 'boot-failed', details: { reason: 'overlay-missing' } };
  await expect(plan({ overlay: 'continue' })).rejects.toMatchObject(refused);
  await plan();
  await expect(plan({ overlay: 'continue' })).rejects.toMatchObject(refused);
});

test('going on leaves the saved disk as it is; what an earlier try wrote is gone', async () => {
  await plan();
  const record = await readMachineRecord(join(root, 'machine'));
  await writeMachineRecord(join(root, 'machine'), { ...record, hibernated: record.chain });
  for (const attempt of ['first', 'second']) {
    const { plan: made, record: now } = await plan({ overlay: 'continue' });
    expect(made.overlay.file).toBe('overlay-1.qcow2');
    expect(made.layers.map(({ path }) => path)).toEqual(
      ['overlay-0.qcow2', 'layer-1.qcow2', 'layer-0.raw'].map(inMachine),
    );
    expect(now.hibernated).toEqual(record.chain);
    expect(await readFile(inMachine('overlay-1.qcow2'), 'utf8')).toBe('seed');
    await writeFile(inMachine('overlay-1.qcow2'), `written by the ${attempt}`);
    await writeFile(inMachine('overlay-2.qcow2'), 'of a copy since');
  }
  const self = await identifyProcess(process.pid);
  const identity = `${String(process.pid)} ${String(self?.startTicks)} ${await hostBootId()}`;
  await writeFile(inMachine('vmm.pid'), identity);
  await expect(plan({ overlay: 'continue' })).rejects.toMatchObject({ details: { reason: 'still-running' } });
  await rm(inMachine('vmm.pid'));
  await plan({ overlay: 'continue' });
  expect(await readdir(join(root, 'machine'))).not.toContain('overlay-2.qcow2');
  expect((await stat(inMachine('overlay-0.qcow2'))).mode & 0o777).toBe(0o400);
});
