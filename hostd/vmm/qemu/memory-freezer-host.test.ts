import { execFileSync, spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { systemRunner, type Runner } from '../../platform/run.ts';
import { openMemoryFreezer, probeFreezeMethod } from './memory-freezer.ts';
import { FreezeScene } from './testing/freeze-scene.ts';
import { buildNative, eventually } from './testing/launch-folder.ts';
import { freezeProgram } from './testing/stand-in.ts';

beforeAll(() => buildNative('freeze-test'), 120_000);

/** Runs a program with fewer rights than root has. */
const without = (...rights: string[]): Runner => ({
  run: (command, args, options) => {
    const set = rights.map((right) => `-${right}`).join(',');
    return systemRunner.run('/usr/bin/setpriv', [`--bounding-set=${set}`, command, ...args], options);
  },
});

test('the probe tells whether this host can clone, and why not', async () => {
  expect(await probeFreezeMethod(freezeProgram, systemRunner)).toMatchObject({ method: 'clone' });
  const refused = await probeFreezeMethod(freezeProgram, without('sys_admin'));
  expect(refused).toEqual({ method: 'copy', reason: 'attach: ptrace refused: Operation not permitted' });
  const closed = await probeFreezeMethod(freezeProgram, without('sys_admin', 'sys_ptrace'));
  expect(closed).toMatchObject({ method: 'copy', reason: expect.stringContaining('be copied either') as string });
  const absent = await probeFreezeMethod('/no/such/program', systemRunner);
  expect(absent).toMatchObject({ method: 'copy', reason: expect.stringContaining('ENOENT') as string });
});

test('where ptrace is refused at the freeze the memory is copied in the same pause', async () => {
  await using scene = await FreezeScene.make();
  const program = join(scene.folder, 'unprivileged');
  const script = `#!/bin/sh\nexec setpriv --bounding-set=-sys_admin ${freezeProgram} "$@"\n`;
  await writeFile(program, script, { mode: 0o700 });
  await using freezer = await openMemoryFreezer(scene.request({ program }));
  expect(await freezer.freeze()).toBe('copy');
  expect(freezer.copyReason).toBe('attach: ptrace refused: Operation not permitted');
  scene.standIn.send('rewrite');
  await freezer.write();
  await scene.expectWholeImage();
});

test('the helper has the rights to trace until it has a duplicate, then only the one to kill it', async () => {
  await using scene = await FreezeScene.make();
  await using freezer = await openMemoryFreezer(scene.request());
  const [kill, trace] = [1n << 5n, (1n << 1n) | (1n << 5n) | (1n << 19n) | (1n << 21n)];
  expect(await rights(freezer.pid)).toEqual({ permitted: trace, effective: trace, noNewPrivileges: '1' });
  await freezer.freeze();
  expect(await rights(freezer.pid)).toEqual({ permitted: kill, effective: kill, noNewPrivileges: '1' });
});

async function rights(pid = 0) {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\w+)$`, 'm').exec(status)?.[1] ?? '';
  const set = (name: string) => BigInt(`0x${field(name)}`);
  return { permitted: set('CapPrm'), effective: set('CapEff'), noNewPrivileges: field('NoNewPrivs') };
}

test.each(['clone', 'copy'] as const)('%s: a full disk is told as such, and nothing is left on it', async (method) => {
  await using scene = await FreezeScene.make();
  const disk = join(scene.folder, 'disk');
  await mkdir(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3M', 'tmpfs', disk]);
  try {
    const capture = async () => {
      await using freezer = await openMemoryFreezer(scene.request({ method, imagePath: join(disk, 'image') }));
      await freezer.freeze();
      await freezer.write();
    };
    await expect(capture()).rejects.toMatchObject({ code: 'host-disk-full', details: { step: 'space' } });
    expect(await readdir(disk)).toEqual([]);
  } finally {
    execFileSync('umount', [disk]);
  }
  await scene.expectUnharmed();
});

test('another process that has the pid now is not touched', async () => {
  await using scene = await FreezeScene.make();
  const source = { ...scene.standIn.identity, startTicks: scene.standIn.identity.startTicks - 1 };
  await expect(openMemoryFreezer(scene.request({ source }))).rejects.toMatchObject({
    code: 'freeze-failed',
    details: { step: 'source-gone', reason: expect.stringContaining('is another one') as string },
  });
  expect(await readdir(scene.folder)).toEqual(['base']);
});

test('only the file that the source maps is taken for its memory', async () => {
  await using scene = await FreezeScene.make();
  const basePath = join(scene.folder, 'other');
  await copyFile(join(scene.folder, 'base'), basePath);
  await expect(openMemoryFreezer(scene.request({ basePath }))).rejects.toMatchObject({
    code: 'freeze-failed',
    details: { step: 'mapping', reason: 'the base image is mapped privately 0 times, not once' },
  });
});

test('an image that exists is not written over', async () => {
  await using scene = await FreezeScene.make();
  await writeFile(scene.imagePath, 'precious');
  await expect(openMemoryFreezer(scene.request())).rejects.toMatchObject({ code: 'freeze-failed' });
  expect(await readFile(scene.imagePath, 'utf8')).toBe('precious');
});

test('helper and duplicate do not outlive a hostd that is killed', async () => {
  await using scene = await FreezeScene.make();
  const request = JSON.stringify(scene.request());
  const starter = `
    const { openMemoryFreezer } = await import(${JSON.stringify(join(import.meta.dirname, 'memory-freezer.ts'))});
    const freezer = await openMemoryFreezer(${request});
    console.log(await freezer.freeze());
    setInterval(() => undefined, 1000);`;
  const hostd = spawn(process.execPath, ['--input-type=module', '-e', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => hostd.stdout.once('data', resolve));
  expect(await scene.standIn.duplicates()).toHaveLength(1);
  const ended = new Promise((resolve) => hostd.once('exit', resolve));
  hostd.kill('SIGKILL');
  await ended;
  await eventually(async () => ((await scene.standIn.duplicates()).length === 0 ? true : undefined), 'their end');
  await scene.expectUnharmed();
});

test('a source stopped by a signal is duplicated too, and stays stopped', async () => {
  await using scene = await FreezeScene.make();
  process.kill(scene.standIn.identity.pid, 'SIGSTOP');
  await using freezer = await openMemoryFreezer(scene.request());
  await freezer.freeze();
  await freezer.write();
  await scene.expectWholeImage();
  const state = (await readFile(`/proc/${String(scene.standIn.identity.pid)}/stat`, 'utf8')).split(') ')[1]?.[0];
  expect(state).toBe('T');
  process.kill(scene.standIn.identity.pid, 'SIGCONT');
  await scene.expectUnharmed();
});

test('a signal that comes while the memory is duplicated is delivered afterwards', async () => {
  await using scene = await FreezeScene.make({ pages: 256 });
  let sent = 0;
  for (let round = 0; round < 60; round++) {
    await using freezer = await openMemoryFreezer(scene.request());
    const frozen = freezer.freeze();
    while ((await scene.standIn.report()).signals < sent);
    for (let at = 0; at < 3; at++) {
      process.kill(scene.standIn.identity.pid, 'SIGUSR1');
      sent++;
      while ((await scene.standIn.report()).signals < sent);
    }
    expect(await frozen).toBe('clone');
  }
  expect(await scene.standIn.report()).toMatchObject({ errors: 0, signals: sent });
  await scene.expectUnharmed();
});

test('holes stay holes: a base without data and pages of zeros take no space', async () => {
  await using scene = await FreezeScene.make({ hollow: true });
  await using freezer = await openMemoryFreezer(scene.request());
  await freezer.freeze();
  const { touchedBytes, imageBytes } = await freezer.write();
  expect((await stat(scene.imagePath)).blocks * 512).toBe(imageBytes);
  expect(imageBytes / touchedBytes).toBeCloseTo(0.5, 2);
});

test('what a helper says is heard however soon it ends and however busy hostd is', async () => {
  await using scene = await FreezeScene.make({ pages: 256 });
  const program = join(scene.folder, 'brief');
  await writeFile(program, '#!/bin/sh\necho failed space full\n', { mode: 0o700 });
  const busy = setInterval(() => {
    const until = performance.now() + 20;
    while (performance.now() < until);
  }, 1);
  try {
    for (let round = 0; round < 20; round++) {
      await expect(openMemoryFreezer(scene.request({ program }))).rejects.toMatchObject({ code: 'host-disk-full' });
    }
  } finally {
    clearInterval(busy);
  }
});
