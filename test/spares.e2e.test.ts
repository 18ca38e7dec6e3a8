import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectRightClock } from './support/guest-clock.ts';
import { takeHostPicture } from './support/host-picture.ts';
import { leftovers, useHostd } from './support/suite.ts';

const suite = useHostd({ sandboxes: { spares: 1, spareDelayMs: 0 } });

const facts = 'head -c 16 /dev/urandom | od -An -tx1; cat /etc/machine-id /proc/sys/kernel/random/boot_id; hostname';

test('machines made ahead share nothing with each other, and are told their clock', { timeout: 120_000 }, async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 4; i += 1) {
    await using sandbox = await suite.create({ labels: { turn: String(i) }, env: { TURN: String(i) } });
    const { stdout } = await sandbox.exec(facts, { check: true });
    for (const fact of stdout.trim().split('\n')) seen.add(fact);
    expect((await sandbox.exec('echo $TURN')).stdout).toBe(`${String(i)}\n`);
    await expectRightClock(sandbox);
    await sleep(2500);
  }
  expect(seen.size).toBe(16);
});

test('a killed hostd takes its machines made ahead along when it comes back', async () => {
  const before = await takeHostPicture();
  await using sandbox = await suite.create();
  await sleep(1500);
  await suite.hostd.kill();
  await suite.hostd.start();
  expect((await sandbox.exec('echo on')).stdout).toBe('on\n');
  await sandbox.stop();
  await suite.hostd.stop();
  expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  await suite.hostd.start();
});
