import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { FakeVmm, type FakeVm } from './fake-vmm.ts';
import type { CaptureOptions, RestoreStart, VmLaunch, VmSnapshotFiles } from './vmm.ts';

let root: string;
let vmm: FakeVmm;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fake-vm-'));
  vmm = new FakeVmm();
});

afterEach(() => rm(root, { recursive: true }));

const options: CaptureOptions = { wake: true, durable: false, minAvailableMiB: 0 };
const cold = {
  kind: 'cold',
  kernel: '/k',
  initramfs: '/i',
  kernelArguments: [],
  baseDisk: { path: '/d', format: 'raw' },
} as const;

async function start(name: string, how: VmLaunch['start'] = cold): Promise<FakeVm> {
  const directory = join(root, name);
  await mkdir(directory, { recursive: true });
  const shape = { cpus: 1, memoryMiB: 512, diskMiB: 4096 };
  await vmm.start({ directory, shape, uid: 1, gid: 1, start: how }, () => undefined);
  const started = vmm.machines.byDirectory.get(directory);
  if (started === undefined) throw new Error('not started');
  return started;
}

async function folder(name: string): Promise<VmSnapshotFiles> {
  const directory = join(root, name);
  await mkdir(directory);
  const at = (file: string) => join(directory, file);
  return { directory, memory: at('memory'), devices: at('devices'), disk: at('disk'), overlaySeed: at('seed') };
}

const contents = (files: VmSnapshotFiles) => readdir(files.directory);
const restore = (snapshot: VmSnapshotFiles, more: Partial<RestoreStart> = {}): RestoreStart => ({
  kind: 'restore',
  snapshot,
  ...more,
});

test('a capture fills its folder and wakes its source as it was asked to', async () => {
  const vm = await start('source');
  const capture = await vm.capture(await folder('one'), options);
  expect(await contents(capture.files)).toHaveLength(5);
  expect(capture).toMatchObject({ pausedMs: 8, method: 'clone' });
  expect(vm.paused).toBe(false);
  expect(await capture.complete).toEqual({ imageMiB: 120, touchedMiB: 40 });

  await vm.capture(await folder('two'), { ...options, wake: false });
  expect(vm.paused).toBe(true);
  expect((await vm.capture(await folder('three'), options)).pausedMs).toBe(0);
  expect(vm.paused).toBe(true);
  await vm.resume();
  expect(vm.paused).toBe(false);
});

test.each(['capture', 'captured'] as const)('a fault at %s leaves the source as it was and no files', async (point) => {
  const vm = await start('source');
  const into = await folder('into');
  vmm.failNext(point, new OffshootError('freeze-failed'));
  await expect(vm.capture(into, options)).rejects.toMatchObject({ code: 'freeze-failed' });
  expect([vm.paused, vm.duplicated, await contents(into)]).toEqual([false, false, []]);
  await vm.capture(into, options);
});

test('the source stands still until it is captured; the image then fails or is given up without it', async () => {
  const vm = await start('source');
  const into = await folder('into');
  const held = vmm.holdNext('captured');
  vmm.failNext('image', new OffshootError('host-disk-full'));
  const asked = vm.capture(into, options);
  await held.reached;
  expect(vm.paused).toBe(true);
  held.release();
  const capture = await asked;
  await expect(capture.complete).rejects.toMatchObject({ code: 'host-disk-full' });
  expect([vm.paused, await contents(into)]).toEqual([false, []]);

  const giveUp = new AbortController();
  const image = vmm.holdNext('image');
  const second = await vm.capture(into, { ...options, signal: giveUp.signal });
  await image.reached;
  giveUp.abort();
  await expect(second.complete).rejects.toMatchObject({ code: 'aborted' });
  expect([vm.duplicated, await contents(into)]).toEqual([false, []]);
  await expect(vm.capture(into, { ...options, signal: giveUp.signal })).rejects.toMatchObject({ code: 'aborted' });
});

test('one capture at a time: the second waits for the image of the first', async () => {
  const vm = await start('source');
  const image = vmm.holdNext('image');
  const first = await vm.capture(await folder('one'), options);
  let captured = false;
  const second = vm.capture(await folder('two'), options).then(() => (captured = true));
  await image.reached;
  expect([vm.duplicated, captured]).toEqual([true, false]);
  image.release();
  await first.complete;
  expect(await second).toBe(true);
});

test('a child started with a capture waits for it, and ends with it', async () => {
  const vm = await start('source');
  const image = vmm.holdNext('image');
  const capture = await vm.capture(await folder('one'), options);
  const fed = vmm.holdNext('fed');
  const child = start('child', restore(capture.files, { capture }));
  await image.reached;
  image.release();
  await fed.reached;
  fed.release();
  expect((await child).exit).toBeUndefined();

  const gone = vmm.holdNext('image');
  const failing = await vm.capture(await folder('two'), options);
  const orphan = start('orphan', restore(failing.files, { capture: failing }));
  vmm.failNext('fed', new OffshootError('boot-failed'));
  gone.release();
  await expect(orphan).rejects.toMatchObject({ code: 'boot-failed' });
  expect(vmm.machines.running).toHaveLength(2);
});

test('a paused machine hibernates and goes on in its own folder; a running one refuses', async () => {
  const vm = await start('source');
  const into = await folder('into');
  await expect(vm.hibernateInto(into)).rejects.toThrow('paused');
  await vm.pause();
  vmm.failNext('hibernate', new OffshootError('host-disk-full'));
  await expect(vm.hibernateInto(into)).rejects.toMatchObject({ code: 'host-disk-full' });
  expect([vm.exit, vm.paused, await contents(into)]).toEqual([undefined, true, []]);
  await vm.hibernateInto(into);
  expect(await vm.exited).toMatchObject({ exitCode: 0 });
  await expect(vm.pause()).rejects.toMatchObject({ code: 'sandbox-not-running' });
  await expect(vm.resume()).rejects.toMatchObject({ code: 'sandbox-not-running' });
  expect((await start('source', restore(into, { overlay: 'continue' }))).paused).toBe(false);
  await expect(start('elsewhere', restore(into, { overlay: 'continue' }))).rejects.toMatchObject({
    details: { reason: 'overlay-missing' },
  });
});

test('a kept disk is booted without memory; compatibility and freeze method are what the test says', async () => {
  const vm = await start('source');
  const { files, complete } = await vm.capture(await folder('one'), { ...options, durable: true });
  await complete;
  await rm(files.memory);
  await start('cold', { ...cold, disk: files });
  await rm(files.disk);
  await expect(start('none', { ...cold, disk: files })).rejects.toMatchObject({ code: 'boot-failed' });
  const origin = { name: 'qemu', version: '1', machine: 'm', cpuModel: 'c', tier: 'emulated' } as const;
  expect(vmm.compatibility({ ...origin, restoreKey: 'fake' }).restorable).toBe('yes');
  expect(vmm.compatibility({ ...origin, restoreKey: 'other' }).restorable).toBe('no');
  vmm.compatibilityOf = () => ({ restorable: 'probe', reason: 'newer' });
  expect(vmm.compatibility({ ...origin, restoreKey: 'other' }).restorable).toBe('probe');
  vmm.freezing = { method: 'copy', reason: 'no ptrace' };
  expect(await vmm.freezeMethod()).toEqual({ method: 'copy', reason: 'no ptrace' });
});
