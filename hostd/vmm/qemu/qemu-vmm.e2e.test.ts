import { execFileSync, spawn } from 'node:child_process';
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemRunner } from '../../platform/run.ts';
import type { Vm, Vmm, VmExit, VmRecord, VmSnapshotFiles } from '../vmm.ts';
import { machineFiles } from './machine-files.ts';
import { openQemuVmm } from './open-qemu-vmm.ts';
import { recordedProcess } from './terminate.ts';
import { buildNative, eventually, nativeDirectory } from './testing/launch-folder.ts';
import { shape, TestGuest, TestMachines, vmmUid } from './testing/test-guest.ts';

let vmm: Vmm;
let machines: TestMachines;
let template: VmSnapshotFiles;

const touchedMiB = 24;
const touchedPages = String((touchedMiB << 20) / 4096);

beforeAll(async () => {
  buildNative();
  vmm = await openQemuVmm({ runner: systemRunner, nativeDirectory, kvm: 'probe' });
  machines = await TestMachines.open(vmm);
  template = await machines.template('template', async (guest) => {
    expect(await guest.ask('cmdline')).toMatch(/offshoot\.test=1$/);
    expect(await guest.ask(`touch ${String(touchedMiB)}`)).toBe('ok');
    expect(await guest.ask('disk write 8192 from-template')).toBe('ok');
  });
}, 300_000);

afterAll(() => machines[Symbol.asyncDispose]());

async function restored(name: string): Promise<{ vm: Vm; guest: TestGuest }> {
  const vm = await machines.start(name, { kind: 'restore', snapshot: template });
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('ping 1')).toBe('pong 1');
  return { vm, guest };
}

async function vmmPid(vm: Vm): Promise<number> {
  const process = await recordedProcess(vm.record.directory, machineFiles.vmmPid);
  if (process === undefined) throw new Error('no record of the VMM');
  return process.pid;
}

test('a template is sparse where nothing was touched, and no VMM owns any of it', async () => {
  const memory = await stat(template.memory);
  expect(memory.size).toBe(shape.memoryMiB * 2 ** 20);
  expect((memory.blocks * 512) / 2 ** 20).toBeLessThan(300);
  for (const path of [template.memory, template.devices, template.disk, template.overlaySeed])
    expect((await stat(path)).uid).toBe(0);
  expect((await stat(template.disk)).mode & 0o222).toBe(0);
  expect((await readdir(template.directory)).toSorted()).toEqual([
    'devices',
    'disk.qcow2',
    'layer-0.raw',
    'machine.json',
    'memory',
    'seed.qcow2',
  ]);
});

test('three machines of one template share its state and nothing else, and leave it as it was', async () => {
  const before = await Promise.all([template.memory, template.overlaySeed].map((path) => stat(path)));
  const three = await Promise.all(['a', 'b', 'c'].map((name) => restored(`twin-${name}`)));
  for (const [at, { guest }] of three.entries()) {
    expect(await guest.ask('intact')).toBe(touchedPages);
    expect(await guest.ask('disk read 8192')).toBe('from-template');
    expect(await guest.ask(`disk write 8192 own-${String(at)}`)).toBe('ok');
    expect(await guest.ask('touch 8')).toBe('ok');
  }
  for (const [at, { guest }] of three.entries()) expect(await guest.ask('disk read 8192')).toBe(`own-${String(at)}`);
  for (const { vm } of three) expect(await vm.kill()).toMatchObject({ cause: 'killed-by-us' });
  const after = await Promise.all([template.memory, template.overlaySeed].map((path) => stat(path)));
  expect(after.map(({ mtimeMs, size }) => [mtimeMs, size])).toEqual(before.map(({ mtimeMs, size }) => [mtimeMs, size]));
});

test('QEMU runs without privileges and confined; an idle machine costs at most 60 MiB', async () => {
  const { vm, guest } = await restored('confined');
  const status = await readFile(`/proc/${String(await vmmPid(vm))}/status`, 'utf8');
  const uid = String(vmmUid);
  expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'));
  expect(status).toMatch(/^CapEff:\t0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  expect(status).toMatch(/^Seccomp:\t2$/m);
  await new Promise((wake) => setTimeout(wake, 2000));
  expect(await vm.networkMark()).toMatch(/^\d+ .*lo=\d/);
  const usage = await vm.usage();
  expect(usage.residentMiB).toBeGreaterThan(10);
  expect(usage.residentMiB).toBeLessThanOrEqual(60);
  expect(usage.cpuSeconds).toBeGreaterThan(0);
  guest.close();
  await vm.kill();
});

test('two vCPUs boot, freeze and restore', async () => {
  const two = { shape: { ...shape, cpus: 2 } };
  const snapshot = await machines.template('two', async (guest) => expect(await guest.ask('cpus')).toBe('2'), two);
  const vm = await machines.start('two-restored', { kind: 'restore', snapshot }, two);
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('cpus')).toBe('2');
  guest.close();
  await vm.kill();
});

test('what one vCPU changes of the code that another runs is what that one runs next', async () => {
  const vm = await machines.start('code', machines.coldStart(), { shape: { ...shape, cpus: 2 } });
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('rewrite-code 200')).toBe('0 of 200 missed');
  guest.close();
  await vm.kill();
});

test('kill is idempotent, works on a stopped VMM, and leaves no process or socket', async () => {
  const { vm, guest } = await restored('killed');
  const pid = await vmmPid(vm);
  process.kill(pid, 'SIGSTOP');
  const began = performance.now();
  const exit = await vm.kill();
  expect(performance.now() - began).toBeLessThan(2000);
  expect(exit).toMatchObject({ cause: 'killed-by-us', signal: 'SIGKILL', exitCode: null });
  expect(exit.cpuSeconds).toBeGreaterThan(0.01);
  expect(exit.peakMemoryMiB).toBeGreaterThan(10);
  expect(await vm.kill()).toEqual(exit);
  expect(await vm.exited).toEqual(exit);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  const left = await readdir(vm.record.directory);
  expect(left).not.toContain(machineFiles.agentSocket);
  expect(left).not.toContain(machineFiles.qmpSocket);
  guest.close();
});

test.each<[string, string, Partial<VmExit>]>([
  ['poweroff', 'poweroff', { cause: 'guest-shutdown', exitCode: 0 }],
  ['reboot', 'reboot', { cause: 'guest-shutdown', exitCode: 0 }],
  [
    'panic',
    'panic',
    { cause: 'guest-panic', exitCode: 0, consoleTail: expect.stringContaining('Kernel panic') as string },
  ],
])('a guest that ends by %s is told apart', async (name, command, expected) => {
  const { vm, guest } = await restored(`ends-${name}`);
  guest.tell(command);
  expect(await vm.exited).toMatchObject(expected);
  guest.close();
});

test('a VMM that crashes, and one that somebody kills, are told apart', async () => {
  for (const [signal, cause] of [
    ['SIGSEGV', 'vmm-crashed'],
    ['SIGKILL', 'vmm-killed'],
  ] as const) {
    const { vm, guest } = await restored(`dies-${signal}`);
    process.kill(await vmmPid(vm), signal);
    expect(await vm.exited).toMatchObject({ cause, signal });
    guest.close();
  }
});

test('what QEMU itself has to say is in the console tail', async () => {
  const kernel = join(machines.folder, 'not-a-kernel');
  await writeFile(kernel, 'no kernel at all');
  const vm = await machines.start('no-kernel', machines.coldStart({ kernel }));
  expect(await vm.exited).toMatchObject({
    cause: 'vmm-crashed',
    exitCode: 1,
    consoleTail: expect.stringMatching(/VMM: .*qemu/) as string,
  });
});

test('a machine outlives the kill -9 of its hostd and is adopted: agent, usage, exit', async () => {
  const launch = await machines.launch('adopted', { kind: 'restore', snapshot: template });
  const program = `
    const { openQemuVmm } = await import(${JSON.stringify(join(import.meta.dirname, 'open-qemu-vmm.ts'))});
    const { systemRunner } = await import(${JSON.stringify(join(import.meta.dirname, '../../platform/run.ts'))});
    const vmm = await openQemuVmm({ runner: systemRunner, nativeDirectory: ${JSON.stringify(nativeDirectory)}, kvm: 'probe' });
    await vmm.start(${JSON.stringify(launch)}, () => undefined).then((vm) => console.log(JSON.stringify(vm.record)));
    setInterval(() => undefined, 1000);`;
  const hostd = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<Buffer>((resolve) => hostd.stdout.once('data', resolve));
  hostd.kill('SIGKILL');
  const record = JSON.parse(line.toString()) as VmRecord;

  const vm = await vmm.adopt(record);
  if (vm === undefined || !('kill' in vm)) throw new Error('not adopted');
  const guest = await TestGuest.connect(vm);
  expect(await guest.ask('intact')).toBe(touchedPages);
  expect((await vm.usage()).residentMiB).toBeGreaterThan(10);
  guest.tell('poweroff');
  const exit = await vm.exited;
  expect(exit).toMatchObject({ cause: 'guest-shutdown' });
  expect(await vmm.adopt(record)).toEqual(exit);
  expect(await vmm.adopt({ ...record, bootId: 'another' })).toBeUndefined();
  expect(await vmm.adopt({ ...record, directory: machines.folder })).toBeUndefined();
  guest.close();
});

test('an adopted machine whose launcher is killed is seen to be gone', async () => {
  const { vm, guest } = await restored('orphan');
  const adopted = await vmm.adopt(vm.record);
  if (adopted === undefined || !('kill' in adopted)) throw new Error('not adopted');
  process.kill(vm.record.launcher.pid, 'SIGKILL');
  expect(await adopted.exited).toMatchObject({ cause: 'unknown', exitCode: null });
  guest.close();
});

test('destroy finds a machine by its folder alone', async () => {
  const { vm, guest } = await restored('by-folder');
  const pid = await vmmPid(vm);
  await vmm.destroy(vm.record.directory, undefined);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await vmm.destroy(vm.record.directory, undefined);
  expect((await vm.exited).cause).toBe('killed-by-us');
  guest.close();
});

test('a template whose memory was written to is refused, and so is one of another machine', async () => {
  const mismatch = await machines.launch(
    'mismatch',
    { kind: 'restore', snapshot: template },
    { shape: { ...shape, memoryMiB: 1024 } },
  );
  await expect(vmm.start(mismatch, () => undefined)).rejects.toMatchObject({
    details: { reason: 'snapshot-mismatch' },
  });
  const tampered = await machines.template('tampered', async (guest) =>
    expect(await guest.ask('ping 2')).toBe('pong 2'),
  );
  const memory = await open(tampered.memory, 'r+');
  await memory.write(Buffer.from([1]), 0, 1, 0x100000);
  await memory.close();
  await expect(machines.start('from-tampered', { kind: 'restore', snapshot: tampered })).rejects.toMatchObject({
    code: 'boot-failed',
    details: { reason: 'snapshot-tampered' },
  });
});

test('a disk smaller than its image is refused instead of cut off', async () => {
  const small = machines.start('small-disk', machines.coldStart(), { shape: { ...shape, diskMiB: 64 } });
  await expect(small).rejects.toMatchObject({ code: 'boot-failed', details: { reason: 'disk-too-small' } });
});

test('a full disk is told as such', async () => {
  const launch = await machines.launch('full', { kind: 'restore', snapshot: template });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', launch.directory]);
  try {
    await expect(vmm.start(launch, () => undefined)).rejects.toMatchObject({ code: 'host-disk-full' });
  } finally {
    execFileSync('umount', [launch.directory]);
  }
});

test('a machine on a tap of a network namespace has the card it was given', async () => {
  const netns = `qemu-e2e-${String(process.pid)}`;
  execFileSync('ip', ['netns', 'add', netns]);
  try {
    execFileSync('ip', ['-n', netns, 'tuntap', 'add', 'tap0', 'mode', 'tap', 'user', String(vmmUid)]);
    execFileSync('ip', ['-n', netns, 'link', 'set', 'tap0', 'up']);
    const network = { guestMac: '52:54:00:0f:f5:01', mtu: 1400, netnsPath: `/run/netns/${netns}`, tapName: 'tap0' };
    const vm = await machines.start('networked', { kind: 'restore', snapshot: template }, { network });
    const guest = await TestGuest.connect(vm);
    expect(await guest.ask('mac')).toBe('52:54:00:0f:f5:01');
    const carrier = () => execFileSync('ip', ['-n', netns, '-o', 'link', 'show', 'tap0'], { encoding: 'utf8' });
    await eventually(() => Promise.resolve(carrier().includes('LOWER_UP') ? true : undefined), 'carrier');
    await vm.kill();
    expect(carrier()).toContain('NO-CARRIER');
    guest.close();
  } finally {
    execFileSync('ip', ['netns', 'del', netns]);
  }
});

test('a launch into a folder that is gone is a boot that failed', async () => {
  const launch = await machines.launch('gone', { kind: 'restore', snapshot: template });
  await mkdir(join(machines.folder, 'other'));
  await expect(
    vmm.start({ ...launch, directory: join(machines.folder, 'absent') }, () => undefined),
  ).rejects.toMatchObject({ code: 'boot-failed' });
});
