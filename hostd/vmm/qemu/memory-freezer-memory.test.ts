import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { openMemoryFreezer } from './memory-freezer.ts';
import { FreezeScene } from './testing/freeze-scene.ts';
import { buildNative, eventually } from './testing/launch-folder.ts';
import { hasMemoryCgroups, MemoryCgroup } from './testing/memory-cgroup.ts';

beforeAll(() => buildNative('freeze-test'), 120_000);

const memoryMiB = 64;
const pages = memoryMiB * 256;

test('a duplicate is given up when the host has less free memory than is to stay free', async () => {
  await using scene = await FreezeScene.make();
  await using freezer = await openMemoryFreezer(scene.request({ minAvailableMiB: 1024 * 1024 }));
  expect(await freezer.freeze()).toBe('clone');
  await expect(freezer.write()).rejects.toMatchObject({ code: 'capacity-exhausted', details: { step: 'memory' } });
  expect(await readdir(scene.folder)).toEqual(['base']);
  await scene.expectUnharmed();
});

test('the kernel would end the duplicate first, and the helper last where that is allowed', async () => {
  await using scene = await FreezeScene.make();
  await using freezer = await openMemoryFreezer(scene.request());
  const before = await score(scene.standIn.identity.pid);
  await freezer.freeze();
  const [duplicate = 0] = await scene.standIn.duplicates();
  const own = (await mayLowerScores()) ? -1000 : await score(process.pid);
  expect([await score(duplicate), await score(freezer.pid ?? 0)]).toEqual([1000, own]);
  expect(await score(scene.standIn.identity.pid)).toBe(before);
});

test('a duplicate that the kernel ended is told as want of memory', async () => {
  await using scene = await FreezeScene.make();
  await using freezer = await openMemoryFreezer(scene.request());
  await freezer.freeze();
  const [duplicate = 0] = await scene.standIn.duplicates();
  process.kill(duplicate, 'SIGKILL');
  await expect(freezer.write()).rejects.toMatchObject({ code: 'capacity-exhausted', details: { step: 'memory' } });
  await scene.expectUnharmed();
});

describe.skipIf(!hasMemoryCgroups)('in a memory cgroup that has room for the source alone', () => {
  const limitMiB = memoryMiB + 16;

  test('the limit is raised while the duplicate lives, and the source may rewrite all its memory', async () => {
    await using cgroup = await MemoryCgroup.make(limitMiB);
    await using scene = await FreezeScene.make({ pages, before: cgroup.enter });
    await using freezer = await openMemoryFreezer(scene.request());
    expect(await freezer.freeze()).toBe('clone');
    const raisedMiB = await cgroup.read('limit_in_bytes');
    expect(raisedMiB).toBeGreaterThan(limitMiB + memoryMiB / 3);
    scene.standIn.send('rewrite');
    await eventually(
      async () => ((await cgroup.read('usage_in_bytes')) > limitMiB ? true : undefined),
      'more in use than the limit was',
    );
    await freezer.write();
    await scene.expectWholeImage();
    await freezer.abandon();
    expect(await cgroup.read('limit_in_bytes')).toBe(limitMiB);
    await expectAtWork(scene);
  });

  test('the duplicate is given up before the limit is reached', async () => {
    await using cgroup = await MemoryCgroup.make(2 * memoryMiB);
    await using scene = await FreezeScene.make({ pages, before: cgroup.enter });
    await using freezer = await openMemoryFreezer(scene.request());
    expect(await freezer.freeze()).toBe('clone');
    await cgroup.limit((await cgroup.heldMiB()) * 1.03);
    await eventually(async () => ((await scene.standIn.duplicates()).length === 0 ? true : undefined), 'its end');
    await expect(freezer.write()).rejects.toMatchObject({
      code: 'capacity-exhausted',
      details: { reason: expect.stringMatching(/^the source's cgroup uses \d+ of \d+ MiB$/) as string },
    });
    await scene.expectUnharmed();
  });

  test('where others live in it too, the duplicate is given up', async () => {
    await using cgroup = await MemoryCgroup.make(limitMiB);
    await using scene = await FreezeScene.make({ pages, before: cgroup.enter });
    const other = spawn('sleep', ['60']);
    try {
      await cgroup.add(other.pid ?? 0);
      await using freezer = await openMemoryFreezer(scene.request());
      expect(await freezer.freeze()).toBe('clone');
      expect(await cgroup.read('limit_in_bytes')).toBe(limitMiB);
      scene.standIn.send('rewrite');
      await eventually(async () => ((await scene.standIn.duplicates()).length === 0 ? true : undefined), 'its end');
      await expect(freezer.write()).rejects.toMatchObject({ code: 'capacity-exhausted', details: { step: 'memory' } });
      expect(await readdir(scene.folder)).toEqual(['base']);
      await expectAtWork(scene);
    } finally {
      const ended = new Promise((resolve) => other.once('exit', resolve));
      other.kill('SIGKILL');
      await ended;
    }
  });
});

/** It rewrites what the stand-in checks otherwise, so only its work counts. */
async function expectAtWork({ standIn }: FreezeScene): Promise<void> {
  const before = await standIn.report();
  await eventually(async () => ((await standIn.report()).rounds > before.rounds ? true : undefined), 'work');
}

async function score(pid: number): Promise<number> {
  return Number(await readFile(`/proc/${String(pid)}/oom_score_adj`, 'utf8'));
}

/** CAP_SYS_RESOURCE. */
async function mayLowerScores(): Promise<boolean> {
  const [, rights = '0'] = /^CapEff:\s+(\w+)$/m.exec(await readFile('/proc/self/status', 'utf8')) ?? [];
  return (BigInt(`0x${rights}`) & (1n << 24n)) !== 0n;
}
