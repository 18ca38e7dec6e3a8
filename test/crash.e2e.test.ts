import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { faultPoints, type FaultPoint } from '../hostd/platform/fault-points.ts';
import { newSandboxId } from '../hostd/sandbox/ids.ts';
import { takeHostPicture } from './support/host-picture.ts';
import { leftovers, useHostd } from './support/suite.ts';

const suite = useHostd();

function pointsOf(operation: string): FaultPoint[] {
  const points = faultPoints.filter((point) => point.startsWith(`${operation}.`));
  expect(points.length).toBeGreaterThan(2);
  return points;
}

/** Restarts hostd so that it kills itself at a point, does something that passes there, and starts it again without. */
async function crashAt(point: FaultPoint, act: () => Promise<unknown>): Promise<void> {
  await suite.hostd.stop();
  await suite.hostd.start({ OFFSHOOT_FAULT: point });
  const crashed = suite.hostd.exited();
  const acting = act().catch(() => undefined); // the client goes on by itself when hostd is back
  await Promise.race([crashed, sleep(30_000).then(() => Promise.reject(new Error(`${point} was never passed`)))]);
  await suite.hostd.start();
  await acting;
}

describe('hostd killed with -9 inside create', () => {
  test.each(pointsOf('create'))(
    '%s: the client gets its sandbox or a clear end, nothing leaks',
    { timeout: 120_000 },
    async (point) => {
      const before = await takeHostPicture();
      const id = newSandboxId();
      await suite.create(); // the client has to know this hostd before it waits for its return
      await crashAt(point, () => suite.create({ id }));
      const known = await Sandbox.connect(id, { host: suite.host }).catch(() => undefined);
      if (known !== undefined && known.info.state === 'running') {
        expect((await known.exec('echo fine')).stdout).toBe('fine\n');
      }
      await stopEverything();
      expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
    },
  );
});

describe('hostd killed with -9 inside exec', () => {
  test.each(pointsOf('exec'))('%s: the exec ends once, with all of its output', { timeout: 120_000 }, async (point) => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    let output = '';
    await crashAt(point, async () => {
      // both streams in turn, so that the index is written too
      const result = await sandbox.exec(
        'for i in 1 2 3 4 5 6; do echo o$i; echo e$i >&2; sleep 0.1; done; echo ran >> /tmp/runs',
        {
          id: 'exe_crash',
        },
      );
      output = result.stdout + result.stderr;
      expect(result.exitCode).toBe(0);
    });
    expect(output).toBe('o1\no2\no3\no4\no5\no6\ne1\ne2\ne3\ne4\ne5\ne6\n');
    expect((await sandbox.exec('wc -l < /tmp/runs')).stdout.trim()).toBe('1');
    await stopEverything();
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });
});

describe('hostd killed with -9 inside stop', () => {
  test.each(pointsOf('stop'))('%s: the stop is finished and nothing leaks', { timeout: 120_000 }, async (point) => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    await crashAt(point, () => sandbox.stop());
    await expect.poll(async () => (await sandbox.refresh()).state, { timeout: 20_000 }).toBe('gone');
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });
});

async function stopEverything(): Promise<void> {
  for (const { id } of await Sandbox.list({ connection: { host: suite.host } })) {
    await (await Sandbox.connect(id, { host: suite.host })).stop();
  }
}
