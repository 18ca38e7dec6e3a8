import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isOffshootError, Sandbox } from '../hostd/client/index.ts';
import { countIn, expectCounting } from './support/guest-counter.ts';
import { useHostd } from './support/suite.ts';
import { vmmPidsOf } from './support/vmm-processes.ts';

const suite = useHostd();

const answer = async (sandbox: Sandbox, command: string) =>
  (await sandbox.exec(command, { check: true, timeoutMs: 60_000 })).stdout.trim();

/** A client of its own, as another program would be. */
const client = (id: string) => Sandbox.connect(id, { host: suite.host });

test(
  'forks, pauses, hibernations and snapshots of one sandbox from many clients at once',
  { timeout: 120_000 },
  async () => {
    await using source = await suite.create();
    await answer(source, '(i=0; while :; do i=$((i+1)); echo $i > /run/count; sleep 0.05; done) > /dev/null 2>&1 &');
    await countIn(source, '/run/count');
    const fork = async (sandbox: Sandbox) => {
      for (const copy of await sandbox.fork({ count: 2 })) await copy.stop();
    };
    const pause = (sandbox: Sandbox) => sandbox.pause();
    const hibernate = (sandbox: Sandbox) => sandbox.pause({ hibernateAfterSeconds: 0 });
    const resume = (sandbox: Sandbox) => sandbox.resume();
    let taken = 0;
    const snapshot = (sandbox: Sandbox) => sandbox.snapshot({ name: `abuse-${String((taken += 1))}` });
    for (const round of [
      [snapshot, fork, hibernate, fork, resume, snapshot, fork],
      [fork, fork, pause, resume, fork, hibernate],
    ]) {
      await Promise.all(round.map(async (act) => act(await client(source.id))));
      await source.resume();
      await expectCounting(source, '/run/count');
    }
    for (const { name } of await suite.client.snapshots.list()) await suite.client.snapshots.remove(name);
    expect((await Sandbox.list({ connection: { host: suite.host } })).map(({ id }) => id)).toEqual([source.id]);
  },
);

test('a sandbox that is stopped in the middle of it tells so, and nothing is left', async () => {
  for (const act of [
    (sandbox: Sandbox) => sandbox.fork({ count: 2 }),
    (sandbox: Sandbox) => sandbox.snapshot({ name: 'cut-off' }),
    (sandbox: Sandbox) => sandbox.pause({ hibernateAfterSeconds: 0 }).then(() => sandbox.resume()),
  ]) {
    const source = await suite.create();
    const acting = act(await client(source.id)).catch((error: unknown) => error);
    await sleep(120);
    await source.stop();
    const outcome = await acting;
    if (outcome instanceof Error) {
      expect(isOffshootError(outcome) && outcome.code).toMatch(/^sandbox-(gone|not-running)$/);
    }
    for (const { id } of await Sandbox.list({ connection: { host: suite.host } })) await (await client(id)).stop();
    for (const { name } of await suite.client.snapshots.list()) await suite.client.snapshots.remove(name);
  }
});

test('a machine that is killed while it goes to disk is not taken for a paused one', async () => {
  const source = await suite.create();
  await answer(
    source,
    'mount -t tmpfs -o size=300m none /mnt && dd if=/dev/urandom of=/mnt/x bs=1M count=150 2> /dev/null',
  );
  const [vmm] = await vmmPidsOf(suite.stateDirectory, source.id);
  await source.pause();
  const hibernating = source.pause({ hibernateAfterSeconds: 0 }).catch((error: unknown) => error);
  await sleep(30);
  if (vmm !== undefined) process.kill(vmm, 'SIGKILL');
  const outcome = await hibernating;
  if (!(outcome instanceof Error)) return source.stop().then(() => undefined); // it was on disk already
  await expect.poll(async () => (await source.refresh()).state, { timeout: 30_000 }).toBe('gone');
  expect(source.info.end?.reason).toBe('vmm-killed');
});

test('copies of a guest that plays with its control groups and signals', async () => {
  await using source = await suite.create();
  await answer(
    source,
    `set -e
    mkdir -p /sys/fs/cgroup/own/nested
    sleep 1000 & echo $! > /sys/fs/cgroup/own/nested/cgroup.procs
    mkdir /sys/fs/cgroup/held; sleep 1000 & echo $! > /sys/fs/cgroup/held/cgroup.procs; echo 1 > /sys/fs/cgroup/held/cgroup.freeze
    sleep 1000 & echo $! > /run/stopped; kill -STOP $!
    (while :; do for file in $(find /sys/fs/cgroup -name cgroup.freeze -not -path '*/held/*'); do echo 0 > $file; done; done) > /dev/null 2>&1 &
    (while :; do /bin/true & done) > /dev/null 2>&1 &`,
  );
  const seen =
    'grep frozen /sys/fs/cgroup/held/cgroup.events; cut -d " " -f 3 /proc/$(cat /run/stopped)/stat; wc -l < /sys/fs/cgroup/own/nested/cgroup.procs';
  await using copy = await source.fork();
  for (const sandbox of [copy, source]) expect(await answer(sandbox, seen)).toBe('frozen 1\nT\n1');
});

test('the kernel of an emulated guest does without the instruction that QEMU before 8.0 does wrong', async () => {
  await using sandbox = await suite.create();
  const { isolation, vmm } = await suite.client.info();
  const hidden = isolation.tier === 'emulated' && Number.parseInt(vmm.version, 10) < 8;
  expect(await answer(sandbox, 'grep -c -w cx16 /proc/cpuinfo || true')).toBe(hidden ? '0' : '1');
});
