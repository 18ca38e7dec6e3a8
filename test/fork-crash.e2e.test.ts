import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { faultPoints, type FaultPoint } from '../hostd/platform/fault-points.ts';
import { takeHostPicture } from './support/host-picture.ts';
import { leftovers, useHostd } from './support/suite.ts';

const suite = useHostd();

function pointsOf(...operations: string[]): FaultPoint[] {
  const points = faultPoints.filter((point) => operations.some((operation) => point.startsWith(`${operation}.`)));
  expect(points.length).toBeGreaterThan(2);
  return points;
}

const output = Array.from({ length: 60 }, (_, i) => `line ${String(i + 1)}\n`).join('');

/**
 * A sandbox with an exec that writes all the while; hostd dies at the point of what is done to it and is started again. However that ended, the
 * sandbox goes on, its exec loses no line, and nothing else is left.
 */
async function survive(point: FaultPoint, act: (source: Sandbox) => Promise<unknown>): Promise<Sandbox> {
  const source = await suite.create();
  await source.exec('echo kept > /workspace/kept', { check: true });
  await suite.hostd.stop();
  await suite.hostd.start({ OFFSHOOT_FAULT: point });
  const talking = source.exec('for i in $(seq 1 60); do echo line $i; sleep 0.05; done', {
    id: 'exe_talk',
    timeoutMs: 120_000,
  });
  talking.catch(() => undefined);
  await sleep(300);
  const crashed = suite.hostd.exited();
  const acting = act(source).catch(() => undefined);
  await Promise.race([crashed, sleep(30_000).then(() => Promise.reject(new Error(`${point} was never passed`)))]);
  await suite.hostd.start();
  await acting;
  if ((await source.refresh()).state === 'paused') await source.resume();
  expect((await talking).stdout).toBe(output);
  expect((await source.exec('cat /workspace/kept; echo on', { check: true })).stdout).toBe('kept\non\n');
  return source;
}

async function expectNothingLeft(before: Awaited<ReturnType<typeof takeHostPicture>>): Promise<void> {
  const connection = { host: suite.host };
  for (const { id } of await Sandbox.list({ connection })) await (await Sandbox.connect(id, connection)).stop();
  for (const { name } of await suite.client.snapshots.list()) await suite.client.snapshots.remove(name);
  expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
}

describe('hostd killed with -9 inside fork', () => {
  test.each(pointsOf('fork', 'capture'))('%s', { timeout: 120_000 }, async (point) => {
    const before = await takeHostPicture();
    await survive(point, (source) => source.fork({ count: 2 }));
    await expectNothingLeft(before);
  });
});

describe('hostd killed with -9 inside snapshot', () => {
  test.each(pointsOf('snapshot'))('%s: a whole one or none', { timeout: 120_000 }, async (point) => {
    const before = await takeHostPicture();
    await survive(point, (source) => source.snapshot({ name: 'crash' }));
    for (const { name } of await suite.client.snapshots.list()) {
      const copy = await suite.create({ snapshot: name });
      expect((await copy.exec('cat /workspace/kept')).stdout).toBe('kept\n');
      await copy.stop();
    }
    await expectNothingLeft(before);
  });
});

describe('hostd killed with -9 inside pause, hibernation and resume', () => {
  test.each(pointsOf('pause', 'hibernate', 'resume'))('%s', { timeout: 120_000 }, async (point) => {
    const before = await takeHostPicture();
    await survive(point, async (source) => {
      await source.pause({ hibernateAfterSeconds: 0 });
      await source.resume();
    });
    await expectNothingLeft(before);
  });
});
