import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readFile, readdir, readlink, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { identifyProcess, isAlive, signalProcess } from '../../platform/process-identity.ts';
import { readExit } from './exit-record.ts';
import { encodeLaunchSpec } from './launch-spec.ts';
import { machineFiles } from './machine-files.ts';
import { LauncherError, startLauncher } from './start-launcher.ts';
import { openMemoryFreezer } from './memory-freezer.ts';
import { recordedProcess, terminateMachine } from './terminate.ts';
import { buildNative, eventually, LaunchFolder, launcherProgram } from './testing/launch-folder.ts';
import { freezeProgram, standInProgram, writeBase } from './testing/stand-in.ts';

beforeAll(() => {
  buildNative();
  buildNative('freeze-test');
}, 120_000);

const ignoreIdentity = () => undefined;

async function start(folder: LaunchFolder) {
  return startLauncher(launcherProgram, folder.path, ignoreIdentity);
}

async function exitRecord(folder: LaunchFolder) {
  return eventually(() => readExit(folder.path), 'exit.json');
}

const text = (path: string) => readFile(path, 'utf8');

test('what the VMM is given: no privileges, no other descriptors, its limits and folder', async () => {
  await using folder = await LaunchFolder.make();
  await writeFile(folder.file('state'), 'saved');
  const script =
    'cat /proc/self/status; echo "Umask2: $(umask)"; ls /proc/$$/fd; ulimit -n; pwd; echo "env:$(env | sort | tr "\\n" ,)"; cat <&6';
  await folder.writeSpec(`exec >&9; ${script}`, {
    files: [
      { kind: 'console', number: 9, target: '' },
      { kind: 'read', number: 6, target: folder.file('state') },
    ],
    limits: { core: 0, nofile: 77 },
    env: { PATH: '/usr/bin:/bin', ONLY: 'this' },
  });
  await start(folder);
  await exitRecord(folder);
  const said = await text(folder.file('console.log'));
  expect(said).toMatch(/^Uid:\t64123\t64123\t64123\t64123$/m);
  expect(said).toMatch(/^Gid:\t64123\t64123\t64123\t64123$/m);
  expect(said).toMatch(/^Groups:\t *$/m);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    expect(said).toMatch(new RegExp(`^${set}:\t0000000000000000$`, 'm'));
  expect(said).toMatch(/^NoNewPrivs:\t1$/m);
  expect(said).toMatch(/^SigBlk:\t0000000000000000$/m);
  expect(said).toMatch(/^Umask2: 0077$/m);
  expect(said).toContain(`\n0\n1\n2\n6\n9\n77\n${folder.path}\n`);
  expect(said).toContain('ONLY=this');
  expect(said).not.toContain('HOME=');
  expect(said.endsWith('saved')).toBe(true);
});

test('nothing of the process that started it comes along: groups, descriptors, session', async () => {
  await using folder = await LaunchFolder.make();
  const careless = folder.file('careless-parent');
  const script = `#!/bin/sh\nexec 7</etc/hostname\nsetpriv --groups 4,24 ${launcherProgram} "$1" & wait\n`;
  await writeFile(careless, script, { mode: 0o755 });
  await folder.writeSpec('cat /proc/self/status; sleep 60');
  const { launcher } = await startLauncher(careless, folder.path, ignoreIdentity);
  const said = await eventually(async () => {
    const log = await text(folder.file('vmm.log')).catch(() => '');
    return log.includes('nonvoluntary') ? log : undefined;
  }, 'the status');
  expect(said).toMatch(/^Groups:\t *$/m);
  const folderOfLinks = `/proc/${String(launcher.pid)}/fd`;
  const links = await Promise.all((await readdir(folderOfLinks)).map((name) => readlink(join(folderOfLinks, name))));
  expect(links).not.toContain('/etc/hostname');
  expect((await text(`/proc/${String(launcher.pid)}/stat`)).split(') ')[1]?.split(' ')[3]).toBe(String(launcher.pid));
});

test('a machine without a network namespace gets an empty one and a tap in it', async () => {
  await using folder = await LaunchFolder.make();
  const files = [
    { kind: 'console', number: 9, target: '' },
    { kind: 'tap', number: 12, target: 'offshoot0' },
  ] as const;
  await folder.writeSpec('{ cat /proc/net/dev; readlink /proc/self/ns/net; } >&9', { files });
  await start(folder);
  await exitRecord(folder);
  const said = await text(folder.file('console.log'));
  expect(said).toContain('offshoot0:');
  expect(said).not.toContain('eth0:');
  expect(said).not.toContain(execFileSync('readlink', ['/proc/self/ns/net'], { encoding: 'utf8' }).trim());
});

test('a named tap must exist: none is made', async () => {
  await using folder = await LaunchFolder.make();
  const netns = `launcher-test-${String(process.pid)}`;
  execFileSync('ip', ['netns', 'add', netns]);
  try {
    const spec = { netnsPath: `/run/netns/${netns}`, files: [{ kind: 'tap', number: 12, target: 'absent0' }] } as const;
    await folder.writeSpec('true', spec);
    await expect(start(folder)).rejects.toThrow('tap absent0: No such device');
    execFileSync('ip', ['-n', netns, 'tuntap', 'add', 'absent0', 'mode', 'tap', 'user', '64123']);
    await folder.writeSpec('readlink /proc/self/fd/12; cat /proc/net/dev', spec);
    await start(folder);
    expect(await exitRecord(folder)).toMatchObject({ exitCode: 0 });
    expect(await text(folder.file('vmm.log'))).toMatch(/^\/dev\/net\/tun\n[^]*absent0:/);
  } finally {
    execFileSync('ip', ['netns', 'del', netns]);
  }
});

test('sockets listen before the VMM runs, for root alone, and are removed with it', async () => {
  await using folder = await LaunchFolder.make();
  const deep = join(folder.path, 'd'.repeat(100));
  await mkdir(deep);
  await folder.writeSpec('sleep 60', { files: [{ kind: 'listen', number: 10, target: 'agent.sock' }] });
  await start(folder);
  const status = await stat(folder.file('agent.sock'));
  expect([status.mode & 0o777, status.uid]).toEqual([0o600, 0]);
  const socket = connect(folder.file('agent.sock'));
  await new Promise((resolve, reject) => socket.once('connect', () => resolve(undefined)).once('error', reject));
  socket.destroy();
  await terminateMachine(folder.path, undefined);
  expect(await readdir(folder.path)).not.toContain('agent.sock');
});

test('a folder whose path is longer than a socket address can still be used', async () => {
  await using folder = await LaunchFolder.make();
  const deep = folder.file('d'.repeat(150));
  await mkdir(deep);
  const spec = encodeLaunchSpec({
    uid: 64123,
    gid: 64123,
    groups: [],
    files: [{ kind: 'listen', number: 10, target: 'qmp.sock' }],
    limits: {},
    program: '/bin/sh',
    args: ['-c', 'sleep 60'],
    env: {},
  });
  await writeFile(join(deep, machineFiles.spec), spec);
  await startLauncher(launcherProgram, deep, ignoreIdentity);
  expect((await stat(join(deep, 'qmp.sock'))).isSocket()).toBe(true);
  await terminateMachine(deep, undefined);
});

test('SIGTERM kills the VMM, whatever it does about signals, and the record says that it was asked for', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('trap "" TERM INT HUP; while :; do sleep 1; done');
  const { launcher, vmm } = await start(folder);
  await signalProcess(launcher, 'SIGTERM');
  expect(await exitRecord(folder)).toMatchObject({ exitCode: null, signal: 'SIGKILL', cause: 'killed-by-us' });
  expect(await isAlive(vmm)).toBe(false);
});

test('SIGHUP and SIGINT, as a closing terminal sends them, end nothing', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  const { launcher, vmm } = await start(folder);
  await signalProcess(launcher, 'SIGHUP');
  await signalProcess(launcher, 'SIGINT');
  await new Promise((wake) => setTimeout(wake, 200));
  expect([await isAlive(launcher), await isAlive(vmm)]).toEqual([true, true]);
});

test('the VMM dies with its launcher', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  const { launcher, vmm } = await start(folder);
  await signalProcess(launcher, 'SIGKILL');
  await eventually(async () => ((await isAlive(vmm)) ? undefined : true), 'the end of the VMM');
});

test('machine and launcher survive the kill -9 of the process that started them, and are found by their folder', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  const starter = `
    const { startLauncher } = await import(${JSON.stringify(join(import.meta.dirname, 'start-launcher.ts'))});
    await startLauncher(${JSON.stringify(launcherProgram)}, ${JSON.stringify(folder.path)}, () => undefined);
    console.log('started');
    setInterval(() => undefined, 1000);`;
  const hostd = spawn(process.execPath, ['--input-type=module', '-e', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => hostd.stdout.once('data', resolve));
  hostd.kill('SIGKILL');
  await new Promise((resolve) => hostd.once('exit', resolve));
  const launcher = await recordedProcess(folder.path, machineFiles.launcherPid);
  const vmm = await recordedProcess(folder.path, machineFiles.vmmPid);
  if (launcher === undefined || vmm === undefined) throw new Error('no pid records');
  await new Promise((wake) => setTimeout(wake, 200));
  expect([await isAlive(launcher), await isAlive(vmm)]).toEqual([true, true]);
  const session = (await text(`/proc/${String(launcher.pid)}/stat`)).split(') ')[1]?.split(' ')[3];
  expect(session).toBe(String(launcher.pid));
  for (const fd of ['0', '1', '2']) {
    expect(execFileSync('readlink', [`/proc/${String(launcher.pid)}/fd/${fd}`], { encoding: 'utf8' }).trim()).toBe(
      '/dev/null',
    );
  }
  await terminateMachine(folder.path, undefined);
  expect([await isAlive(launcher), await isAlive(vmm)]).toEqual([false, false]);
});

test('destroy is bounded when the VMM and even its launcher are stopped', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  const { launcher, vmm } = await start(folder);
  await signalProcess(vmm, 'SIGSTOP');
  await signalProcess(launcher, 'SIGSTOP');
  const began = performance.now();
  await terminateMachine(folder.path, undefined, { politeMs: 300, goneMs: 5000 });
  expect(performance.now() - began).toBeLessThan(3000);
  expect([await isAlive(launcher), await isAlive(vmm)]).toEqual([false, false]);
});

test('a launcher that comes to a destroyed folder ends without starting anything', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  await terminateMachine(folder.path, undefined);
  await expect(start(folder)).rejects.toThrow('open launch.spec: No such file or directory');
  expect(await readdir(folder.path)).not.toContain('vmm.pid');
});

test('a folder takes one launcher at a time', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  const first = await start(folder);
  await expect(start(folder)).rejects.toThrow('another launcher runs in this folder');
  expect(await recordedProcess(folder.path, machineFiles.launcherPid)).toEqual(first.launcher);
});

test('a flooded console keeps its beginning and its end within 192 KiB, and does not delay a kill', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec(
    'echo begins; i=0; while [ $i -lt 40000 ]; do i=$((i+1)); echo "line $i"; done >&9; echo ends; sleep 60',
    {
      files: [{ kind: 'console', number: 9, target: '' }],
    },
  );
  await start(folder);
  await eventually(
    async () => ((await text(folder.file('vmm.log')).catch(() => '')).includes('ends') ? true : undefined),
    'all lines',
  );
  const sizes = await Promise.all(
    ['console.log', 'console.tail.log', 'console.older.log'].map(async (name) => (await stat(folder.file(name))).size),
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
  expect(await text(folder.file('console.log'))).toMatch(/^line 1\nline 2\n/);
  await eventually(
    async () => ((await text(folder.file('console.tail.log'))).endsWith('line 40000\n') ? true : undefined),
    'the last line',
  );
});

test('an endless flood is killed at once', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('exec cat /dev/zero >&9', { files: [{ kind: 'console', number: 9, target: '' }] });
  const { launcher } = await start(folder);
  await new Promise((wake) => setTimeout(wake, 300));
  await signalProcess(launcher, 'SIGTERM');
  expect((await exitRecord(folder)).cause).toBe('killed-by-us');
});

test('the exit record has exit code, CPU time and peak memory', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 7');
  await start(folder);
  const exit = await exitRecord(folder);
  expect(exit).toMatchObject({ exitCode: 7, signal: null, cause: 'vmm-crashed' });
  expect(exit.cpuSeconds).toBeGreaterThan(0.05);
  expect(exit.peakMemoryMiB).toBeGreaterThanOrEqual(1);
});

test.each([
  ['uid=0\0gid=5\0arg=/bin/true\0', 'unprivileged uid'],
  ['uid=5\0gid=5\0', 'no program'],
  ['uid=5\0gid=5\0arg=/bin/true', 'cut off'],
  ['uid=5\0gid=5\0arg=/bin/true\0mystery=1\0', 'unknown key: mystery'],
  ['uid=5x\0gid=5\0arg=/bin/true\0', 'uid: not a number'],
  ['uid=5\0gid=5\0read=1:/etc/passwd\0arg=/bin/true\0', 'descriptor 1 is taken'],
  ['uid=5\0gid=5\0read=9:/etc/passwd\0read=9:/etc/group\0arg=/bin/true\0', 'given twice'],
  ['uid=5\0gid=5\0listen=9:../outside\0arg=/bin/true\0', 'not a plain name'],
  ['uid=5\0gid=5\0limit=stack:9\0arg=/bin/true\0', 'no such limit: stack'],
  ['uid=5\0gid=5\0read=9:/no/such/file\0arg=/bin/true\0', 'open /no/such/file: No such file or directory'],
  ['uid=5\0gid=5\0netns=/no/such/netns\0arg=/bin/true\0', 'open /no/such/netns'],
  ['uid=5\0gid=5\0arg=/no/such/program\0', '/no/such/program: No such file or directory'],
])('a spec that can not be followed is refused in words: %j', async (spec, words) => {
  await using folder = await LaunchFolder.make();
  await folder.writeRawSpec(spec);
  const failure = start(folder);
  await expect(failure).rejects.toThrow(words);
  await expect(failure).rejects.toBeInstanceOf(LauncherError);
});

test('the launcher is told of before the VMM runs', async () => {
  await using folder = await LaunchFolder.make();
  await folder.writeSpec('sleep 60');
  const seen: number[] = [];
  const started = await startLauncher(launcherProgram, folder.path, ({ pid }) => seen.push(pid));
  expect(seen).toEqual([started.launcher.pid]);
  expect(await identifyProcess(started.vmm.pid)).toEqual(started.vmm);
});

/** A machine whose VMM can be duplicated, and a helper that has done so. */
async function duplicated(folder: LaunchFolder) {
  const base = folder.file('base');
  await writeBase(base, 256);
  await folder.writeSpec(`exec ${standInProgram} /proc/self/fd/9 64123`, {
    files: [{ kind: 'read', number: 9, target: base }],
  });
  const { launcher, vmm } = await start(folder);
  await eventually(async () => {
    return (await text(folder.file('vmm.log')).catch(() => '')).includes('ready') ? true : undefined;
  }, 'the stand-in');
  const source = await identifyProcess(vmm.pid);
  if (source === undefined) throw new Error('the stand-in has ended');
  const image = folder.file('image');
  const request = { basePath: base, imagePath: image, method: 'clone', minAvailableMiB: 64 } as const;
  const freezer = await openMemoryFreezer({ program: freezeProgram, source, ...request });
  expect(await freezer.freeze()).toBe('clone');
  const children = (await childrenOf(launcher.pid)).filter((pid) => pid !== vmm.pid);
  expect(children).toHaveLength(1);
  const duplicate = await identifyProcess(children[0] ?? 0);
  if (duplicate === undefined) throw new Error('the duplicate has ended');
  return { launcher, vmm, freezer, duplicate };
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = await text(`/proc/${String(pid)}/task/${String(pid)}/children`);
  return list.split(' ').filter(Boolean).map(Number);
}

test('the end of a duplicate is not the end of the VMM, and leaves no zombie', async () => {
  await using folder = await LaunchFolder.make();
  const { launcher, vmm, freezer } = await duplicated(folder);
  await freezer.abandon();
  await eventually(
    async () => ((await childrenOf(launcher.pid)).length === 1 ? true : undefined),
    'the reaping of the duplicate',
  );
  expect(await childrenOf(launcher.pid)).toEqual([vmm.pid]);
  expect([await isAlive(launcher), await isAlive(vmm)]).toEqual([true, true]);
  expect(await readdir(folder.path)).not.toContain('exit.json');
  await signalProcess(launcher, 'SIGTERM');
  expect(await exitRecord(folder)).toMatchObject({ signal: 'SIGKILL', cause: 'killed-by-us' });
});

test.each([
  ['SIGTERM to the launcher', 'launcher', 'SIGTERM', 'killed-by-us'],
  ['the end of the VMM', 'vmm', 'SIGKILL', 'vmm-killed'],
] as const)('no duplicate survives %s, not even one whose helper hangs', async (_, whom, signal, cause) => {
  await using folder = await LaunchFolder.make();
  const machine = await duplicated(folder);
  process.kill(machine.freezer.pid ?? 0, 'SIGSTOP');
  await signalProcess(machine[whom], signal);
  expect(await exitRecord(folder)).toMatchObject({ signal: 'SIGKILL', cause });
  expect(await isAlive(machine.duplicate)).toBe(false);
  process.kill(machine.freezer.pid ?? 0, 'SIGCONT');
  await machine.freezer.abandon();
});

test('a duplicate dies with its source when the launcher is killed', async () => {
  await using folder = await LaunchFolder.make();
  const { launcher, duplicate, freezer } = await duplicated(folder);
  await signalProcess(launcher, 'SIGKILL');
  await eventually(async () => ((await isAlive(duplicate)) ? undefined : true), 'the end of the duplicate');
  await expect(freezer.write()).rejects.toMatchObject({ code: 'freeze-failed', details: { step: 'source-gone' } });
});
