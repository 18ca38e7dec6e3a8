import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Sandbox } from '../../hostd/client/index.ts';
import { faultPoints, type FaultPoint } from '../../hostd/platform/fault-points.ts';
import { takeHostPicture } from './host-picture.ts';
import { leftovers, type Suite } from './suite.ts';

/** Those tried in every run: the moments at which something of the source is neither as before nor as after. The full suite tries the others. */
const usualPoints = new Set<FaultPoint>([
  'fork.after-stand-still',
  'fork.after-capture',
  'fork.copy-restored',
  'capture.frozen',
  'capture.switched',
  'snapshot.before-manifest',
  'snapshot.made',
  'pause.stopped',
  'hibernate.written',
  'hibernate.after-save',
  'resume.machine-started',
]);

function pointsOf(which: 'usual' | 'other', ...operations: string[]): FaultPoint[] {
  const points = faultPoints.filter((point) => operations.some((operation) => point.startsWith(`${operation}.`)));
  return points.filter((point) => usualPoints.has(point) === (which === 'usual'));
}

const output = Array.from({ length: 40 }, (_, i) => `line ${String(i + 1)}\n`).join('');

/**
 * A sandbox with an exec that writes all the while; hostd dies at the point of what is done to it and is started again. However that ended, the
 * sandbox goes on, its exec loses no line, and nothing else is left.
 */
async function survive(suite: Suite, point: FaultPoint, act: (source: Sandbox) => Promise<unknown>): Promise<Sandbox> {
  const source = await suite.create();
  await source.exec('echo kept > /workspace/kept', { check: true });
  await suite.hostd.stop();
  await suite.hostd.start({ OFFSHOOT_FAULT: point });
  const talking = source.exec('for i in $(seq 1 40); do echo line $i; sleep 0.05; done', {
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

async function expectNothingLeft(suite: Suite, before: Awaited<ReturnType<typeof takeHostPicture>>): Promise<void> {
  const connection = { host: suite.host };
  for (const { id } of await Sandbox.list({ connection })) await (await Sandbox.connect(id, connection)).stop();
  for (const { name } of await suite.client.snapshots.list()) await suite.client.snapshots.remove(name);
  expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
}

/** hostd is killed with -9 at each of the points, in the middle of what is done to a sandbox. */
export function describeForkCrashes(suite: Suite, which: 'usual' | 'other'): void {
  describe('hostd killed with -9 inside fork', () => {
    test.each(pointsOf(which, 'fork', 'capture'))('%s', { timeout: 120_000 }, async (point) => {
      const before = await takeHostPicture();
      await survive(suite, point, (source) => source.fork({ count: 2 }));
      await expectNothingLeft(suite, before);
    });
  });

  describe('hostd killed with -9 inside snapshot', () => {
    test.each(pointsOf(which, 'snapshot'))('%s: a whole one or none', { timeout: 120_000 }, async (point) => {
      const before = await takeHostPicture();
      await survive(suite, point, (source) => source.snapshot({ name: 'crash' }));
      for (const { name } of await suite.client.snapshots.list()) {
        const copy = await suite.create({ snapshot: name });
        expect((await copy.exec('cat /workspace/kept')).stdout).toBe('kept\n');
        await copy.stop();
      }
      await expectNothingLeft(suite, before);
    });
  });

  describe('hostd killed with -9 inside pause, hibernation and resume', () => {
    test.each(pointsOf(which, 'pause', 'hibernate', 'resume'))('%s', { timeout: 120_000 }, async (point) => {
      const before = await takeHostPicture();
      await survive(suite, point, async (source) => {
        await source.pause({ hibernateAfterSeconds: 0 });
        await source.resume();
      });
      await expectNothingLeft(suite, before);
    });
  });
}
