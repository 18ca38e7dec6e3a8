import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useHostd } from './support/suite.ts';

const suite = useHostd({ sandboxes: { execGraceMs: 5_000, guestSilenceMs: 9_000 } });

/** As root a workload can freeze the agent, PID 1, by a cgroup of its own. */
const makeGroup = 'mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null; mkdir -p /sys/fs/cgroup/x';
const freezeAgent = 'echo 1 > /sys/fs/cgroup/x/cgroup.procs; echo 1 > /sys/fs/cgroup/x/cgroup.freeze; sleep 1000';

test('a guest that froze its agent keeps no exec beyond its timeout and no file operation for ever', async () => {
  await using sandbox = await suite.create();
  await sandbox.exec(makeGroup, { check: true });
  // the agent would end it at its timeout if it were not frozen before, on a slow machine too
  const exec = await sandbox.spawn(freezeAgent, { timeoutMs: 4_000 });
  await expect.poll(async () => (await exec.info()).state, { timeout: 40_000 }).toBe('ended');
  expect(await exec.info()).toMatchObject({ timedOut: true, failure: { code: 'guest-unresponsive' } });
  await expect(sandbox.files.write('x', Buffer.alloc(1_000_000))).rejects.toMatchObject({ code: 'guest-unresponsive' });
});

test('uploads cut around the end of their sandbox leave hostd serving', async () => {
  const { pid } = suite.hostd;
  for (const gapMs of [-20, 0, 20]) {
    const sandbox = await suite.create();
    const chunk = Buffer.alloc(65_536);
    const endless = new Readable({
      read() {
        this.push(chunk);
      },
    });
    const upload = new AbortController();
    const writing = sandbox.files.write('big', endless, { signal: upload.signal }).catch(() => undefined);
    await sleep(150);
    const leaving = sleep(Math.max(0, -gapMs)).then(() => upload.abort());
    await Promise.all([leaving, sleep(Math.max(0, gapMs)).then(() => sandbox.stop()), writing]);
    await sandbox.disconnect();
  }
  expect((await suite.client.info()).capacity.sandboxes).toBe(0);
  expect(suite.hostd.pid).toBe(pid);
});
