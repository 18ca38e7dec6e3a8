import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { onFaultPoint } from '../../platform/fault-points.ts';
import { systemRunner } from '../../platform/run.ts';
import type { CaptureOptions, Vm, VmCapture, VmLaunch, Vmm, VmSnapshotFiles } from '../vmm.ts';
import { MachineMonitor, readStatus } from './machine-monitor.ts';
import { machineFiles } from './machine-files.ts';
import { readMachineRecord } from './machine-record.ts';
import { openQemuVmm } from './open-qemu-vmm.ts';
import { recordedProcess } from './terminate.ts';
import { buildNative, nativeDirectory } from './testing/launch-folder.ts';
import { shape, TestGuest, TestMachines } from './testing/test-guest.ts';

let vmm: Vmm;
let machines: TestMachines;
let template: VmSnapshotFiles;
let undoFault: () => void = () => undefined;

const touchedPages = String((24 << 20) / 4096);
const live: CaptureOptions = { wake: true, durable: false, minAvailableMiB: 0 };

interface Machine extends AsyncDisposable {
  vm: Vm;
  guest: TestGuest;
}

beforeAll(async () => {
  buildNative();
  vmm = await openQemuVmm({ runner: systemRunner, nativeDirectory, kvm: 'probe' });
  machines = await TestMachines.open(vmm);
  template = await machines.template('template', prepare);
}, 300_000);

afterEach(() => undoFault());
afterAll(() => machines[Symbol.asyncDispose]());

async function prepare(guest: TestGuest): Promise<void> {
  expect(await guest.ask('touch 24')).toBe('ok');
  expect(await guest.ask('disk write 8192 from-template')).toBe('ok');
}

async function started(name: string, start: VmLaunch['start'], more: Partial<VmLaunch> = {}): Promise<Machine> {
  return machine(await machines.start(name, start, more));
}

async function machine(vm: Vm): Promise<Machine> {
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('ping 1')).toBe('pong 1');
  const dispose = async () => {
    guest.close();
    await vm.kill();
  };
  return { vm, guest, [Symbol.asyncDispose]: dispose };
}

async function capture(vm: Vm, name: string, options = live): Promise<VmCapture> {
  return vm.capture(await machines.snapshotFiles(name), options);
}

const from = (made: VmCapture): VmLaunch['start'] => ({ kind: 'restore', snapshot: made.files, capture: made });
const chainOf = async ({ record }: Vm) => (await readMachineRecord(record.directory)).chain.length;
const stateOf = ({ record }: Vm) => new MachineMonitor(record.directory).session(readStatus);

test('copies of copies of copies: memory and disk go on from one moment and part ways', async () => {
  const line = [await started('gen-0', { kind: 'restore', snapshot: template })];
  for (const generation of [1, 2, 3]) {
    const parent = line.at(-1);
    if (parent === undefined) throw new Error('no parent');
    await parent.guest.ask(`refill ${String(generation)}`);
    await parent.guest.ask(`disk write ${String(generation * 65536)} by-${String(generation)}`);
    const made = await capture(parent.vm, `gen-${String(generation)}-files`);
    expect(made.pausedMs).toBeGreaterThan(0);
    const child = await started(`gen-${String(generation)}`, from(made));
    expect((await made.complete).imageMiB).toBeGreaterThan(24);
    line.push(child);
  }
  for (const [at, { guest }] of line.entries()) {
    const seed = String(Math.min(at + 1, 3));
    expect(await guest.ask('seed')).toBe(seed);
    expect(await guest.ask('intact')).toBe(touchedPages);
    for (let written = 1; written <= Number(seed); written++)
      expect(await guest.ask(`disk read ${String(written * 65536)}`)).toBe(`by-${String(written)}`);
    await guest.ask(`disk write 8192 own-${String(at)}`);
    await guest.ask(`refill ${String(10 + at)}`);
  }
  for (const [at, { guest }] of line.entries()) {
    expect(await guest.ask('disk read 8192')).toBe(`own-${String(at)}`);
    expect([await guest.ask('seed'), await guest.ask('intact')]).toEqual([String(10 + at), touchedPages]);
  }
  for (const { vm } of line) await vm.kill();
});

test('memory the source rewrites while its duplicate lives is not in the copy', async () => {
  await using source = await started('rewriting', { kind: 'restore', snapshot: template });
  undoFault = onFaultPoint((point) =>
    point === 'capture.woken' ? source.guest.ask('refill 77').then(() => undefined) : undefined,
  );
  const made = await capture(source.vm, 'rewriting-files');
  expect(made.method).toBe('clone');
  await using child = await started('rewritten', from(made));
  expect([await child.guest.ask('seed'), await child.guest.ask('intact')]).toEqual(['0', touchedPages]);
  expect([await source.guest.ask('seed'), await source.guest.ask('intact')]).toEqual(['77', touchedPages]);
});

test('five copies start at once while the image is being written, and touch none of it before it is whole', async () => {
  await using source = await started('many', { kind: 'restore', snapshot: template });
  const image = Promise.withResolvers<undefined>();
  undoFault = onFaultPoint((point) => (point === 'capture.written' ? image.promise : undefined));
  const made = await capture(source.vm, 'many-files');
  const children = [1, 2, 3, 4, 5].map((at) => started(`many-${String(at)}`, from(made)));
  const first = await Promise.race([...children, new Promise<'none'>((wake) => setTimeout(wake, 700, 'none'))]);
  expect(first).toBe('none');
  image.resolve(undefined);
  for (const child of await Promise.all(children)) {
    expect(await child.guest.ask('intact')).toBe(touchedPages);
    await child[Symbol.asyncDispose]();
  }
});

test('an image that fails takes its waiting children with it, not its source', async () => {
  await using source = await started('failing', { kind: 'restore', snapshot: template });
  undoFault = onFaultPoint((point) =>
    point === 'capture.written' ? Promise.reject(new Error('the image is lost')) : undefined,
  );
  const made = await capture(source.vm, 'failing-files');
  const launch = await machines.launch('failing-child', from(made));
  await expect(vmm.start(launch, () => undefined)).rejects.toMatchObject({ code: 'freeze-failed' });
  expect(await readdir(launch.directory)).not.toContain('qmp.sock');
  expect(await readdir(made.files.directory)).toEqual([]);
  const late = await machines.launch('failed-before-it-starts', from(made));
  await expect(vmm.start(late, () => undefined)).rejects.toMatchObject({ code: 'freeze-failed' });
  expect(await source.guest.ask('intact')).toBe(touchedPages);
});

test('a paused machine stands still, is copied as it is and stays paused; a running one is left paused when asked to', async () => {
  await using source = await started('paused', { kind: 'restore', snapshot: template });
  await source.vm.pause();
  await source.vm.pause();
  source.guest.tell('refill 5');
  const made = await capture(source.vm, 'paused-files');
  expect(made.pausedMs).toBe(0);
  await using child = await started('of-paused', from(made));
  expect(await child.guest.ask('ping')).toMatch(/^pong/);
  expect(await stateOf(source.vm)).toEqual({ status: 'paused', running: false });
  await source.vm.resume();
  await source.vm.resume();
  expect(await source.guest.ask('ping')).toMatch(/^ok|^pong/);
  await capture(source.vm, 'left-paused-files', { ...live, wake: false });
  expect((await stateOf(source.vm)).running).toBe(false);
  await source.vm.kill();
  await expect(source.vm.pause()).rejects.toMatchObject({ code: 'sandbox-not-running' });
  const into = await machines.snapshotFiles('dead-files');
  await expect(source.vm.capture(into, live)).rejects.toMatchObject({ code: 'sandbox-not-running' });
});

test('a hibernated machine goes on where it was, again and again, and copies can be made of it meanwhile', async () => {
  let now = await started('hibernated', { kind: 'restore', snapshot: template });
  const launch = { directory: now.vm.record.directory, shape, uid: 64201, gid: 64200 };
  for (const round of [1, 2, 3]) {
    await now.guest.ask(`refill ${String(round)}`);
    await now.guest.ask(`disk write 4096 round-${String(round)}`);
    const into = await machines.snapshotFiles(`hibernated-${String(round)}`);
    await expect(now.vm.hibernateInto(into)).rejects.toMatchObject({ code: 'freeze-failed' });
    await now.vm.pause();
    expect((await now.vm.hibernateInto(into)).imageMiB).toBeGreaterThan(24);
    expect(await now.vm.exited).toMatchObject({ cause: 'killed-by-us' });
    now.guest.close();
    {
      await using copy = await started(`of-hibernated-${String(round)}`, { kind: 'restore', snapshot: into });
      expect(await copy.guest.ask('disk read 4096')).toBe(`round-${String(round)}`);
      await copy.guest.ask('disk write 4096 by-copy');
    }
    const network = { guestMac: '52:54:00:0f:f5:01', mtu: 1400 };
    const start = { kind: 'restore', snapshot: into, overlay: 'continue' } as const;
    // The first is lost; the second goes on from the same moment.
    for (const attempt of ['lost', 'kept']) {
      now = await machine(await vmm.start({ ...launch, network, start }, () => undefined));
      expect([await now.guest.ask('seed'), await now.guest.ask('intact')]).toEqual([String(round), touchedPages]);
      expect(await now.guest.ask('disk read 4096')).toBe(`round-${String(round)}`);
      if (attempt === 'kept') continue;
      await now.guest.ask('disk write 4096 lost');
      await now[Symbol.asyncDispose]();
    }
    await rm(into.directory, { recursive: true });
  }
  await now[Symbol.asyncDispose]();
});

test('a durable capture shares nothing that a VMM made, outlives source and template, restores and boots', async () => {
  const own = await machines.template('own-template', prepare);
  const source = await started('kept', { kind: 'restore', snapshot: own });
  await (
    await capture(source.vm, 'kept-before')
  ).complete;
  await source.guest.ask('refill 3');
  await source.guest.ask('disk write 4096 kept');
  const made = await capture(source.vm, 'kept-files', { ...live, durable: true });
  await using early = await started('kept-early', from(made));
  expect(await early.guest.ask('disk read 4096')).toBe('kept');
  await made.complete;
  const { layers } = JSON.parse(await readFile(join(made.files.directory, 'machine.json'), 'utf8')) as {
    layers: { path: string; sealed: boolean }[];
  };
  expect(layers.map(({ sealed }) => sealed)).toEqual(Array(4).fill(true));
  for (const { path } of layers.slice(0, 2)) expect((await stat(join(made.files.directory, path))).nlink).toBe(1);
  await source[Symbol.asyncDispose]();
  for (const directory of [own.directory, source.vm.record.directory]) await rm(directory, { recursive: true });
  expect(await vmm.isWhole(made.files)).toBe(true);

  await using restored = await started('kept-restored', { kind: 'restore', snapshot: made.files });
  expect([await restored.guest.ask('seed'), await restored.guest.ask('intact')]).toEqual(['3', touchedPages]);
  expect(await restored.guest.ask('disk read 4096')).toBe('kept');
  await rm(made.files.memory);
  expect(await vmm.isWhole(made.files)).toBe(false);
  await using booted = await started('kept-booted', machines.coldStart({ disk: made.files }));
  expect(await booted.guest.ask('disk read 4096')).toBe('kept');
  expect(await booted.guest.ask('touch 24')).toBe('ok');
  await using child = await started('of-booted', from(await capture(booted.vm, 'booted-files')));
  expect(await child.guest.ask('intact')).toBe(touchedPages);
  expect(await child.guest.ask('disk read 4096')).toBe('kept');
});

test('two vCPUs are copied', async () => {
  const two = { shape: { ...shape, cpus: 2 } };
  const snapshot = await machines.template('two', prepare, two);
  await using source = await started('two-first', { kind: 'restore', snapshot }, two);
  await using child = await started('two-child', from(await capture(source.vm, 'two-files')), two);
  await using grandchild = await started('two-grandchild', from(await capture(child.vm, 'two-files-2')), two);
  for (const { guest } of [source, child, grandchild])
    expect([await guest.ask('cpus'), await guest.ask('intact')]).toEqual(['2', touchedPages]);
});

test('thirty generations in a row: the chain stays short, its folder holds no more, and the disk is right', async () => {
  let now = await started('long-0', { kind: 'restore', snapshot: template });
  const lengths: number[] = [];
  for (let generation = 1; generation <= 30; generation++) {
    const at = String(generation);
    await now.guest.ask(`disk write ${String(generation * 65536)} gen-${at}`);
    const made = await capture(now.vm, `long-files-${at}`);
    const child = await started(`long-${at}`, from(made));
    await now[Symbol.asyncDispose]();
    await rm(now.vm.record.directory, { recursive: true });
    await rm(made.files.directory, { recursive: true });
    now = child;
    lengths.push(await chainOf(now.vm));
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(17);
  expect(lengths.filter((length, at) => length < (lengths[at - 1] ?? 0)).length).toBeGreaterThanOrEqual(2);
  for (let generation = 1; generation <= 30; generation++)
    expect(await now.guest.ask(`disk read ${String(generation * 65536)}`)).toBe(`gen-${String(generation)}`);
  expect(await now.guest.ask('disk read 8192')).toBe('from-template');
  const disks = (await readdir(now.vm.record.directory)).filter((name) => /^(layer|overlay)-/.test(name));
  expect(disks).toHaveLength(await chainOf(now.vm));
  const vmmProcess = await recordedProcess(now.vm.record.directory, machineFiles.vmmPid);
  const open = execFileSync('ls', ['-l', `/proc/${String(vmmProcess?.pid)}/fd`], { encoding: 'utf8' }).split('\n');
  expect(open.filter((line) => /(layer|overlay)-\d+.*deleted/.test(line))).toEqual([]);
  await now[Symbol.asyncDispose]();
}, 120_000);
