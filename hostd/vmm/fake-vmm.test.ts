import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeMachines, FakeVmm } from './fake-vmm.ts';
import type { VmLaunch, VmRecord, VmSnapshotFiles } from './vmm.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fake-vmm-'));
});

afterEach(() => rm(directory, { recursive: true }));

const shape = { cpus: 1, memoryMiB: 512, diskMiB: 4096 };

function cold(memoryFile?: string): VmLaunch {
  const start = {
    kind: 'cold',
    kernel: '/k',
    initramfs: '/i',
    kernelArguments: [],
    baseDisk: { path: '/d', format: 'raw' },
  } as const;
  return { directory, shape, uid: 1, gid: 1, start: memoryFile === undefined ? start : { ...start, memoryFile } };
}

function files(): VmSnapshotFiles {
  const at = (name: string) => join(directory, 'template', name);
  return { directory: at(''), memory: at('memory'), devices: at('devices'), disk: at('disk'), overlaySeed: at('seed') };
}

const ignoreRecord = () => undefined;

test('a later fake on the same machines adopts, and learns how one ended', async () => {
  const machines = new FakeMachines();
  const records: VmRecord[] = [];
  const vm = await new FakeVmm({ machines }).start(cold(), (record) => records.push(record));
  const later = new FakeVmm({ machines });
  expect(await later.adopt(vm.record)).toBe(vm);
  machines.running[0]?.end({ cause: 'vmm-crashed', signal: 'SIGSEGV', exitCode: null });
  expect(await later.adopt(vm.record)).toMatchObject({ cause: 'vmm-crashed' });
  expect(records).toEqual([vm.record]);
});

test('a record of nothing is adopted as undefined', async () => {
  const record = { launcher: { pid: 5, startTicks: 5 }, bootId: 'x', directory };
  expect(await new FakeVmm().adopt(record)).toBeUndefined();
});

test('freezing fills the files a restore asks for; without them a restore fails', async () => {
  const vmm = new FakeVmm();
  const snapshot = files();
  await expect(vmm.start({ ...cold(), start: { kind: 'restore', snapshot } }, ignoreRecord)).rejects.toMatchObject({
    code: 'boot-failed',
  });
  await mkdir(snapshot.directory);
  const vm = await vmm.start(cold(snapshot.memory), ignoreRecord);
  await vm.freezeInto(snapshot);
  expect(await readFile(snapshot.devices, 'utf8')).toBe('fake');
  expect(await vm.exited).toMatchObject({ exitCode: 0 });
  await vmm.start({ ...cold(), start: { kind: 'restore', snapshot } }, ignoreRecord);
  expect(vmm.machines.running).toHaveLength(1);
});

test('faults strike once, in order, at their point', async () => {
  const vmm = new FakeVmm();
  vmm.failNext('started', new Error('first'));
  vmm.failNext('started', new Error('second'));
  const records: VmRecord[] = [];
  const note = (record: VmRecord) => records.push(record);
  await expect(vmm.start(cold(), note)).rejects.toThrow('first');
  await expect(vmm.start(cold(), note)).rejects.toThrow('second');
  expect(vmm.machines.running).toHaveLength(0);
  await vmm.start(cold(), note);
  expect(records).toHaveLength(3);
});

test('a held point waits until released', async () => {
  const vmm = new FakeVmm();
  const vm = await vmm.start(cold(), ignoreRecord);
  const hold = vmm.holdNext('kill');
  const killed = vm.kill();
  await hold.reached;
  expect(vmm.machines.running).toHaveLength(1);
  hold.release();
  expect(await killed).toMatchObject({ cause: 'killed-by-us' });
  expect(await vm.kill()).toEqual(await vm.exited);
});

test('destroy ends what runs in a directory, without a record, again and again', async () => {
  const vmm = new FakeVmm();
  await vmm.start(cold(), ignoreRecord);
  await vmm.destroy(directory, undefined);
  await vmm.destroy(directory, undefined);
  expect(vmm.machines.running).toHaveLength(0);
});
