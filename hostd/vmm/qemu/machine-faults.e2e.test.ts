import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { onFaultPoint, type FaultPoint } from '../../platform/fault-points.ts';
import { systemRunner } from '../../platform/run.ts';
import type { CaptureOptions, Vm, VmLaunch, Vmm, VmRecord, VmSnapshotFiles } from '../vmm.ts';
import { compactChain } from './compaction.ts';
import { MachineMonitor, readStatus } from './machine-monitor.ts';
import { readMachineRecord } from './machine-record.ts';
import { openQemuVmm } from './open-qemu-vmm.ts';
import type { DoomedWork } from './testing/doomed-hostd.ts';
import { buildNative, eventually, nativeDirectory } from './testing/launch-folder.ts';
import { TestGuest, TestMachines } from './testing/test-guest.ts';

let vmm: Vmm;
let machines: TestMachines;
let template: VmSnapshotFiles;
let undoFault: () => void = () => undefined;

const live: CaptureOptions = { wake: true, durable: false, minAvailableMiB: 0 };
const touchedPages = String((24 << 20) / 4096);

beforeAll(async () => {
  buildNative();
  vmm = await openQemuVmm({ runner: systemRunner, nativeDirectory, kvm: 'probe' });
  machines = await TestMachines.open(vmm);
  template = await machines.template('template', async (guest) => expect(await guest.ask('touch 24')).toBe('ok'));
}, 300_000);

afterEach(() => undoFault());
afterAll(() => machines[Symbol.asyncDispose]());

async function restored(name: string): Promise<{ vm: Vm; guest: TestGuest }> {
  const vm = await machines.start(name, { kind: 'restore', snapshot: template });
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('ping 1')).toBe('pong 1');
  return { vm, guest };
}

/** What a machine's disk is made of, in its record and in its folder. */
async function disk({ record: { directory } }: Vm): Promise<{ chain: string[]; files: string[] }> {
  const { chain } = await readMachineRecord(directory);
  const files = (await readdir(directory)).filter((name) => /^(layer|overlay)-/.test(name));
  return { chain: chain.map(({ path }) => path).toSorted(), files: files.toSorted() };
}

/** Processes of the machine besides its VMM: a duplicate would be a child of the launcher. */
async function duplicates({ record }: Vm): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(record.launcher.pid)], { encoding: 'utf8' });
  return children.split('\n').filter((line) => pids.includes(line.trim())).length - 1;
}

async function expectUnharmed(vm: Vm, guest: TestGuest): Promise<void> {
  expect(await guest.ask('intact')).toBe(touchedPages);
  const { chain, files } = await disk(vm);
  expect(files).toEqual(chain);
  await eventually(async () => ((await duplicates(vm)) === 0 ? true : undefined), 'no duplicate is left');
}

const steps = ['prepared', 'stopped', 'frozen', 'switched', 'woken', 'written'] as const;

test.each(steps)('a failure at capture.%s leaves the source running and no files', async (step) => {
  const { vm, guest } = await restored(`fails-${step}`);
  const point: FaultPoint = `capture.${step}`;
  undoFault = onFaultPoint((at) => (at === point ? Promise.reject(new Error(`injected at ${at}`)) : undefined));
  const into = await machines.snapshotFiles(`fails-${step}-files`);
  const failure = { code: 'freeze-failed', message: expect.stringContaining('injected') as string };
  const captured = vm.capture(into, live).then(({ complete }) => complete);
  await expect(captured).rejects.toMatchObject(failure);
  expect(await readdir(into.directory)).toEqual([]);
  await expectUnharmed(vm, guest);
  undoFault();
  const { complete } = await vm.capture(into, live);
  await complete;
  await expectUnharmed(vm, guest);
  guest.close();
  await vm.kill();
});

test('a paused source stays paused when its capture fails', async () => {
  const { vm, guest } = await restored('fails-paused');
  await vm.pause();
  undoFault = onFaultPoint((at) => (at === 'capture.switched' ? Promise.reject(new Error('injected')) : undefined));
  const into = await machines.snapshotFiles('fails-paused-files');
  await expect(vm.capture(into, live)).rejects.toMatchObject({ code: 'freeze-failed' });
  expect((await new MachineMonitor(vm.record.directory).session(readStatus)).running).toBe(false);
  undoFault();
  await vm.resume();
  await expectUnharmed(vm, guest);
  guest.close();
  await vm.kill();
});

test.each(['saved', 'written'] as const)('a failure at hibernate.%s leaves the machine paused', async (step) => {
  const { vm, guest } = await restored(`stays-${step}`);
  await vm.pause();
  undoFault = onFaultPoint((at) => (at === `hibernate.${step}` ? Promise.reject(new Error('injected')) : undefined));
  const into = await machines.snapshotFiles(`stays-${step}-files`);
  await expect(vm.hibernateInto(into)).rejects.toMatchObject({ code: 'freeze-failed' });
  expect(await readdir(into.directory)).toEqual([]);
  await vm.resume();
  await expectUnharmed(vm, guest);
  guest.close();
  await vm.kill();
});

test('an abort gives a capture up at any time', async () => {
  const { vm, guest } = await restored('aborted');
  for (const point of ['capture.prepared', 'capture.frozen', 'capture.woken', 'capture.written'] as const) {
    const giveUp = new AbortController();
    undoFault = onFaultPoint((at) => {
      if (at === point) giveUp.abort();
      return undefined;
    });
    const into = await machines.snapshotFiles(`aborted-${point}`);
    const captured = vm.capture(into, { ...live, signal: giveUp.signal }).then(({ complete }) => complete);
    await expect(captured, point).rejects.toMatchObject({ code: 'aborted' });
    expect(await readdir(into.directory)).toEqual([]);
    await expectUnharmed(vm, guest);
  }
  guest.close();
  await vm.kill();
});

test('a full disk, and a host short of memory, leave the source running', async () => {
  const { vm, guest } = await restored('no-room');
  const small = join(machines.folder, 'small');
  await mkdir(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', small]);
  try {
    const into = { ...(await machines.snapshotFiles('no-room-files')), memory: join(small, 'memory') };
    const captured = vm.capture(into, live).then(({ complete }) => complete);
    await expect(captured).rejects.toMatchObject({ code: 'host-disk-full' });
    expect([...(await readdir(into.directory)), ...(await readdir(small))]).toEqual([]);
    const greedy = vm.capture(into, { ...live, minAvailableMiB: 2 ** 30 }).then(({ complete }) => complete);
    await expect(greedy).rejects.toMatchObject({ code: 'capacity-exhausted' });
    await expectUnharmed(vm, guest);
  } finally {
    execFileSync('umount', [small]);
  }
  guest.close();
  await vm.kill();
});

test('a machine killed while it is captured takes the capture with it', async () => {
  const { vm, guest } = await restored('killed');
  undoFault = onFaultPoint((at) => (at === 'capture.frozen' ? vm.kill().then(() => undefined) : undefined));
  const into = await machines.snapshotFiles('killed-files');
  await expect(vm.capture(into, live)).rejects.toMatchObject({ code: 'sandbox-not-running' });
  expect(await readdir(into.directory)).toEqual([]);
  guest.close();
});

/** Lets a process play hostd until the fault kills it; what it started is adopted. */
async function adoptedAfter(
  point: FaultPoint,
  name: string,
  work: Omit<DoomedWork, 'launch'>,
): Promise<{ vm: Vm; launch: VmLaunch }> {
  const launch = await machines.launch(name, { kind: 'restore', snapshot: template });
  const program = join(import.meta.dirname, 'testing/doomed-hostd.ts');
  const doomed = spawn(process.execPath, [program, JSON.stringify({ launch, ...work })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, OFFSHOOT_FAULT: point },
  });
  let output = '';
  doomed.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  expect(await once(doomed, 'close')).toEqual([null, 'SIGKILL']);
  const vm = await vmm.adopt(JSON.parse(output) as VmRecord);
  if (vm === undefined || !('kill' in vm)) throw new Error('not adopted');
  return { vm, launch };
}

test.each(steps)('hostd killed at capture.%s: the adopted machine runs and can be captured', async (step) => {
  const cut = await machines.snapshotFiles(`cut-${step}-files`);
  const { vm } = await adoptedAfter(`capture.${step}`, `cut-${step}`, { captures: [cut] });
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('disk read 4096')).toBe('before-0');
  expect(await vmm.isWhole(cut)).toBe(false);
  await expectUnharmed(vm, guest);
  const made = await vm.capture(await machines.snapshotFiles(`uncut-${step}-files`), live);
  const child = await machines.start(`uncut-${step}`, { kind: 'restore', snapshot: made.files, capture: made });
  const copy = await TestGuest.connect(child);
  expect([await copy.ask('intact'), await copy.ask('disk read 4096')]).toEqual([touchedPages, 'before-0']);
  await expectUnharmed(vm, guest);
  for (const connection of [guest, copy]) connection.close();
  for (const one of [vm, child]) await one.kill();
});

test.each(['saved', 'written'] as const)(
  'hostd killed at hibernate.%s: the adopted machine is paused',
  async (step) => {
    const into = await machines.snapshotFiles(`slept-${step}-files`);
    const { vm } = await adoptedAfter(`hibernate.${step}`, `slept-${step}`, { captures: [], hibernateInto: into });
    expect((await new MachineMonitor(vm.record.directory).session(readStatus)).running).toBe(false);
    expect(await vmm.isWhole(into)).toBe(step === 'written');
    await vm.resume();
    const guest = await TestGuest.connect(vm);
    await expectUnharmed(vm, guest);
    guest.close();
    await vm.kill();
  },
);

test('hostd killed when layers were merged but not recorded: the adopted machine knows its disk', async () => {
  const captures: VmSnapshotFiles[] = [];
  for (let at = 0; at < 8; at++) captures.push(await machines.snapshotFiles(`merged-files-${String(at)}`));
  const { vm } = await adoptedAfter('compact.streamed', 'merged', { captures, compact: true });
  const guest = await TestGuest.connect(vm);
  expect((await disk(vm)).chain).toHaveLength(3);
  expect(await guest.ask('disk read 4096')).toBe('before-7');
  await expectUnharmed(vm, guest);
  guest.close();
  await vm.kill();
});

test('layers are merged when a machine is left alone', async () => {
  const { vm, guest } = await restored('quiet');
  let longest = 0;
  for (let at = 0; at < 8; at++) {
    expect(await guest.ask(`disk write ${String(at * 65536)} quiet-${String(at)}`)).toBe('ok');
    await (
      await vm.capture(await machines.snapshotFiles(`quiet-${String(at)}`), live)
    ).complete;
    longest = Math.max(longest, (await disk(vm)).chain.length);
  }
  expect(longest).toBeGreaterThan(8);
  // three when nothing is left to merge; on a slow machine it was left alone before the last capture, which added one
  await eventually(
    async () => ((await disk(vm)).files.length <= 4 ? true : undefined),
    'the layers are merged',
    60_000,
  );
  for (let at = 0; at < 8; at++) expect(await guest.ask(`disk read ${String(at * 65536)}`)).toBe(`quiet-${String(at)}`);
  await expectUnharmed(vm, guest);
  guest.close();
  await vm.kill();
});

test('captures that come while layers are merged break it off, and copies are right', async () => {
  const { vm, guest } = await restored('busy');
  const { directory } = vm.record;
  for (let at = 0; at < 12; at++) {
    expect(await guest.ask(`disk write ${String(at * 65536)} busy-${String(at)}`)).toBe('ok');
    const merge = new AbortController();
    const merging = compactChain(new MachineMonitor(directory), directory, merge.signal);
    await new Promise((wake) => setTimeout(wake, at * 4));
    merge.abort();
    await merging;
    const made = await vm.capture(await machines.snapshotFiles(`busy-${String(at)}`), live);
    await made.complete;
    if (at < 10) continue;
    const child = await machines.start(`busy-child-${String(at)}`, { kind: 'restore', snapshot: made.files });
    const copy = await TestGuest.connect(child);
    for (let back = 0; back <= at; back++)
      expect(await copy.ask(`disk read ${String(back * 65536)}`)).toBe(`busy-${String(back)}`);
    copy.close();
    await child.kill();
  }
  await expectUnharmed(vm, guest);
  guest.close();
  await vm.kill();
});
