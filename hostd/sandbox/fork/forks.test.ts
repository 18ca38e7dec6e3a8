import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forkSchema, type ForkInput } from '../../contract/fork.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { onFaultPoint } from '../../platform/fault-points.ts';
import { createRequest, execRequest, until, World, type HostRun } from '../testing/world.ts';

let world: World;
let run: HostRun;
let sourceId: string;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
  const { sandbox } = await run.host.sandboxes.create(createRequest({ labels: { job: '1', part: 'a' } }));
  sourceId = sandbox.id;
});
afterEach(() => world.remove());

const fork = (input: ForkInput = {}, id = sourceId, idempotencyKey?: string) =>
  run.host.sandboxes.fork(id, forkSchema.parse(input), idempotencyKey === undefined ? {} : { idempotencyKey });
const checkpoints = () => readdir(join(world.stateDirectory, 'checkpoints'));

test('copies run under their own names, with their own labels over those of the source', async () => {
  const { sandboxes, method } = await fork({ count: 3, labels: { part: 'b' } });
  expect(new Set(sandboxes.map(({ id }) => id)).size).toBe(3);
  for (const copy of sandboxes) {
    expect(copy).toMatchObject({
      state: 'running',
      labels: { job: '1', part: 'b' },
      forkedFrom: sourceId,
      generation: 2,
    });
    const identity = world.guest(copy.id).identities.at(-1);
    expect(identity).toMatchObject({ generation: 2, copied: true, dropStreams: true });
    expect(identity?.hostname).toBe(copy.id.toLowerCase().replace('_', '-'));
  }
  const entropies = sandboxes.map(({ id }) => world.guest(id).identities.at(-1)?.entropy.toString('hex'));
  expect(new Set(entropies).size).toBe(3);
  expect(method).toBe('clone');
  expect((await run.host.sandboxes.get(sourceId)).state).toBe('running');
});

test('the processes of the source stand still while it is saved, and go on', async () => {
  await fork();
  expect(world.guest(sourceId).workloadChanges).toEqual(['frozen', 'thawed']);
});

test('a source whose processes do not stand still in time is copied all the same', async () => {
  world.guest(sourceId).failNext('freezeWorkload', new OffshootError('guest-unresponsive'));
  expect((await fork()).sandboxes).toHaveLength(1);
});

test('a fork of a fork of a fork', async () => {
  let id = sourceId;
  for (const generation of [2, 3, 4]) {
    const [copy] = (await fork({}, id)).sandboxes;
    expect(copy).toMatchObject({ generation, forkedFrom: id });
    id = copy?.id ?? '';
  }
});

test('what copies stand on goes with the last of them', async () => {
  const { sandboxes } = await fork({ count: 2 });
  expect(await checkpoints()).toHaveLength(1);
  expect(await readdir(world.imageDirectory)).toHaveLength(1);
  for (const { id } of sandboxes) await run.host.sandboxes.stop(id);
  expect(await checkpoints()).toEqual([]);
  expect(await readdir(world.imageDirectory)).toEqual([]);
  expect(world.network.slots.size).toBe(1);
});

test('beyond the cap the image lies in the state directory', async () => {
  world.config = { forkImageMiB: 0 };
  await run.host.stop();
  run.store.close();
  run = await world.start();
  await fork();
  expect(await readdir(world.imageDirectory).catch(() => [])).toEqual([]);
  expect(await checkpoints()).toHaveLength(1);
});

test.each([
  ['the tmpfs has no room for the image', () => (world.resources.imageRoomMiB = 64)],
  [
    'a guest has filled its memory since it was last looked at',
    () => {
      world.resources.imageRoomMiB = 400;
      world.vm(sourceId).usageNow = { cpuSeconds: 1, peakMemoryMiB: 400, residentMiB: 400 };
    },
  ],
])('when %s the image lies in the state directory', async (_why, happens) => {
  happens();
  await fork();
  expect(await readdir(world.imageDirectory)).toEqual([]);
  expect(await checkpoints()).toHaveLength(1);
});

test('two images at once are not promised the same room', async () => {
  world.resources.imageRoomMiB = 500; // for one of them, twice
  const hold = run.vmm.holdNext('image');
  const first = fork();
  await hold.reached;
  const { sandboxes } = await run.host.sandboxes.create(createRequest()).then(({ sandbox }) => fork({}, sandbox.id));
  const images = await Promise.all(
    (await readdir(world.imageDirectory)).map((folder) => readdir(join(world.imageDirectory, folder))),
  );
  hold.release();
  await first;
  expect(sandboxes).toHaveLength(1);
  expect(images.flat()).toHaveLength(1);
});

test('images in memory count against what may be committed', async () => {
  const before = (await run.host.info()).capacity.memoryCommittedMiB;
  const [copy] = (await fork()).sandboxes;
  const withCopy = (await run.host.info()).capacity.memoryCommittedMiB;
  await run.host.sandboxes.stop(copy?.id ?? '');
  expect((await run.host.info()).capacity.memoryCommittedMiB).toBe(before);
  expect(withCopy).toBeGreaterThan(before + (before - 0) / 2);
});

describe('execs of the source', () => {
  test('go on there, and are ended in the copies with a reason', async () => {
    const gate = Promise.withResolvers<undefined>();
    world.guest(sourceId).script = async (control) => {
      await control.stdout('before ');
      await gate.promise;
      await control.stdout('after');
      return undefined;
    };
    const { exec } = await run.host.execs.start(sourceId, execRequest({ shell: 'serve' }));
    const [copy] = (await fork()).sandboxes;
    const [inherited] = await run.host.execs.list(copy?.id ?? '');
    expect(inherited).toMatchObject({ id: exec.id, state: 'ended', failure: { code: 'forked' }, exitCode: null });
    expect(inherited?.failure?.message).toContain(sourceId);
    gate.resolve(undefined);
    await until(async () => (await run.host.execs.get(sourceId, exec.id)).state === 'ended');
    expect((await run.host.execs.get(sourceId, exec.id)).outputBytes).toBe('before after'.length);
  });
});

describe('failures', () => {
  test('copies that run go on, and the error names them', async () => {
    run.vmm.failNext('started');
    const error = await fork({ count: 3 }).catch((failure: unknown) => failure as OffshootError);
    expect(error).toMatchObject({ code: 'fork-failed' });
    const details = (error as OffshootError).details as { startedSandboxIds: string[]; failures: { code: string }[] };
    expect(details.startedSandboxIds).toHaveLength(2);
    expect(details.failures).toMatchObject([{ code: 'boot-failed' }]);
    for (const id of details.startedSandboxIds) expect((await run.host.sandboxes.get(id)).state).toBe('running');
    expect(world.machines.running).toHaveLength(3);
  });

  test('a copy that can not take up its identity is destroyed and reported', async () => {
    const hold = run.vmm.holdNext('started');
    const failing = fork();
    failing.catch(() => undefined);
    await hold.reached;
    const directory = run.vmm.launches.at(-1)?.directory ?? '';
    world.guests.machine(join(directory, 'agent.sock')).failNext('prepareResume', new OffshootError('boot-failed'));
    hold.release();
    await expect(failing).rejects.toMatchObject({ code: 'boot-failed' });
    expect(world.machines.running).toHaveLength(1);
    expect(await checkpoints()).toEqual([]);
  });

  test('a source that can not be saved goes on, and nothing is left', async () => {
    for (const point of ['capture', 'captured'] as const) {
      run.vmm.failNext(point, new OffshootError('freeze-failed'));
      await expect(fork({ count: 2 })).rejects.toMatchObject({ code: 'freeze-failed' });
    }
    expect(world.machines.running).toHaveLength(1);
    expect(world.network.slots.size).toBe(1);
    expect(await checkpoints()).toEqual([]);
    expect(world.guest(sourceId).workloadChanges).toEqual(['frozen', 'thawed']);
  });

  test('an image that can not be written ends all copies, not the source', async () => {
    run.vmm.failNext('image', new OffshootError('host-disk-full'));
    await expect(fork({ count: 2 })).rejects.toMatchObject({ code: 'host-disk-full' });
    expect(world.machines.running).toHaveLength(1);
    expect((await run.host.sandboxes.get(sourceId)).state).toBe('running');
    expect(await checkpoints()).toEqual([]);
  });

  test('without room for any it is refused before the source is touched', async () => {
    world.resources.reading.memoryAvailableMiB = 100;
    await run.host.info();
    world.clock.advance(1000);
    await expect(fork({ count: 2 })).rejects.toMatchObject({ code: 'capacity-exhausted' });
    expect(world.guest(sourceId).workloadChanges).toEqual([]);
  });

  test('a sandbox that is gone, being stopped or unknown can not be forked', async () => {
    await expect(fork({}, 'sbx_unknown')).rejects.toMatchObject({ code: 'sandbox-not-found' });
    const hold = run.vmm.holdNext('kill');
    const stopping = run.host.sandboxes.stop(sourceId);
    await hold.reached;
    await expect(fork()).rejects.toMatchObject({ code: 'sandbox-not-running' });
    hold.release();
    await stopping;
    await expect(fork()).rejects.toMatchObject({ code: 'sandbox-gone' });
  });

  test('a source that ends while it is forked takes the fork with it', async () => {
    const hold = run.vmm.holdNext('capture');
    const failing = fork({ count: 2 });
    failing.catch(() => undefined);
    await hold.reached;
    const stopping = run.host.sandboxes.stop(sourceId);
    hold.release();
    await stopping;
    await expect(failing).rejects.toMatchObject({ code: expect.stringMatching(/^sandbox-gone$/) as string });
    expect(world.machines.running).toEqual([]);
    expect(await checkpoints()).toEqual([]);
  });
});

describe('the same request again', () => {
  test('with the same key gets the same copies', async () => {
    const first = await fork({ count: 2 }, sourceId, 'key');
    const again = await fork({ count: 2 }, sourceId, 'key');
    expect(again.sandboxes.map(({ id }) => id)).toEqual(first.sandboxes.map(({ id }) => id));
    expect(world.machines.running).toHaveLength(3);
    await expect(fork({ count: 3 }, sourceId, 'key')).rejects.toMatchObject({ code: 'idempotency-conflict' });
  });

  test('gets the same error with the same details', async () => {
    run.vmm.failNext('started');
    const first = await fork({ count: 2 }, sourceId, 'key').catch((error: unknown) => error as OffshootError);
    const again = await fork({ count: 2 }, sourceId, 'key').catch((error: unknown) => error as OffshootError);
    expect((again as OffshootError).details).toEqual((first as OffshootError).details);
    expect(world.machines.running).toHaveLength(2);
  });
});

describe('cancelling', () => {
  test('stops what was started and resolves when it is gone', async () => {
    const hold = run.vmm.holdNext('started');
    const forking = fork({ id: 'frk_mine', count: 3 });
    forking.catch(() => undefined);
    await hold.reached;
    const cancelled = run.host.sandboxes.cancelFork('frk_mine');
    hold.release();
    await cancelled;
    await expect(forking).rejects.toMatchObject({ code: 'fork-cancelled' });
    expect(world.machines.running).toHaveLength(1);
    expect(await checkpoints()).toEqual([]);
    expect((await run.host.sandboxes.get(sourceId)).state).toBe('running');
  });

  test('of a fork that has answered, or that never was, is refused', async () => {
    await fork({ id: 'frk_done' });
    await expect(run.host.sandboxes.cancelFork('frk_done')).rejects.toMatchObject({ code: 'fork-not-found' });
  });
});

test('a fork can keep what its copies start from', async () => {
  const { snapshot, sandboxes } = await fork({ count: 2, keepSnapshot: 'prepared' });
  expect(snapshot).toMatchObject({ name: 'prepared', sandboxId: sourceId });
  await expect(run.host.snapshots.remove('prepared')).rejects.toMatchObject({
    code: 'snapshot-in-use',
    details: { usedBy: sandboxes.map(({ id }) => id).sort() },
  });
  for (const { id } of sandboxes) await run.host.sandboxes.stop(id);
  const { sandbox } = await run.host.sandboxes.create(createRequest({ snapshot: 'prepared' }));
  expect(sandbox).toMatchObject({ state: 'running', snapshot: 'prepared' });
});

test('hostd ends in the middle of a fork: the copies are undone, the source goes on', async () => {
  const hold = run.vmm.holdNext('started');
  const forking = fork({ count: 2 });
  forking.catch(() => undefined);
  await hold.reached;
  world.kill(run);
  hold.release();
  run = await world.start();
  expect((await run.host.sandboxes.list({ labels: {}, all: true })).map(({ id }) => id)).toEqual([sourceId]);
  expect(world.machines.running).toHaveLength(1);
  expect(world.guest(sourceId).frozen).toBe(false);
  expect(await checkpoints()).toEqual([]);
  expect(world.network.slots.size).toBe(1);
});

test('copies outlive a restart of hostd, and so does what they stand on', async () => {
  const { sandboxes } = await fork({ count: 2 });
  await run.host.stop();
  run.store.close();
  run = await world.start();
  expect(await checkpoints()).toHaveLength(1);
  for (const { id } of sandboxes) expect((await run.host.sandboxes.get(id)).state).toBe('running');
  const [first, second] = sandboxes;
  await run.host.sandboxes.stop(first?.id ?? '');
  expect(await checkpoints()).toHaveLength(1);
  await run.host.sandboxes.stop(second?.id ?? '');
  expect(await checkpoints()).toEqual([]);
});

test('the folder of images stays while a fork is about to write into it', async () => {
  const [copy] = (await fork()).sandboxes;
  const hold = run.vmm.holdNext('capture');
  const forking = fork();
  await hold.reached;
  await run.host.sandboxes.stop(copy?.id ?? '');
  const folders = await readdir(world.imageDirectory);
  hold.release();
  await forking;
  expect(folders).toHaveLength(1);
});

test('a copy whose lease is shorter than the fork takes ends in time', async () => {
  run.vmm.failNext('started');
  const hold = run.vmm.holdNext('started');
  const forking = fork({ count: 3, timeoutSeconds: 5 });
  forking.catch(() => undefined);
  await hold.reached;
  await until(() => world.machines.running.length === 3);
  const running = async () =>
    (await run.host.sandboxes.list({ labels: {}, all: false })).filter(({ state }) => state === 'running');
  await until(async () => (await running()).length === 2);
  world.clock.advance(6000);
  await until(async () => (await running()).length === 1);
  hold.release();
  await expect(forking).rejects.toMatchObject({ code: 'fork-failed' });
});

describe('a fork that keeps a snapshot', () => {
  const reach = (point: 'snapshot.before-manifest', act: () => Promise<void>) =>
    onFaultPoint((passed) => (passed === point ? act() : undefined));

  test('makes no copies when the snapshot can not be kept', async () => {
    const heal = reach('snapshot.before-manifest', () =>
      Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    );
    await expect(fork({ count: 2, keepSnapshot: 'prepared' })).rejects.toMatchObject({ code: 'host-disk-full' });
    heal();
    expect(world.machines.running).toHaveLength(1);
    expect(await run.host.snapshots.list()).toEqual([]);
    expect(await readdir(join(world.stateDirectory, 'snapshots'))).toEqual([]);
    await fork({ count: 2, keepSnapshot: 'prepared' });
  });

  test('and fails in part names the snapshot it has kept', async () => {
    run.vmm.failNext('started');
    const error = await fork({ count: 2, keepSnapshot: true }).catch((failure: unknown) => failure as OffshootError);
    const [kept] = await run.host.snapshots.list();
    expect(error).toMatchObject({ code: 'fork-failed', details: { snapshot: kept?.name } });
  });

  test('can be cancelled until it has answered, with the snapshot', async () => {
    const reached = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    const heal = reach('snapshot.before-manifest', async () => {
      reached.resolve(undefined);
      await released.promise;
    });
    const forking = fork({ id: 'frk_late', count: 2, keepSnapshot: 'prepared' });
    forking.catch(() => undefined);
    await reached.promise;
    const cancelled = run.host.sandboxes.cancelFork('frk_late');
    released.resolve(undefined);
    await cancelled;
    heal();
    await expect(forking).rejects.toMatchObject({ code: 'fork-cancelled' });
    expect(world.machines.running).toHaveLength(1);
    expect(await run.host.snapshots.list()).toEqual([]);
    expect(await readdir(join(world.stateDirectory, 'snapshots'))).toEqual([]);
  });
});

test('hostd ends when some copies run already: nobody was told of them, and the same request makes all of them once', async () => {
  const hold = run.vmm.holdNext('started');
  const forking = fork({ count: 2 }, sourceId, 'key');
  forking.catch(() => undefined);
  await hold.reached;
  const states = async () => (await run.host.sandboxes.list({ labels: {}, all: false })).map(({ state }) => state);
  await until(async () => (await states()).filter((state) => state === 'running').length === 2);
  world.kill(run);
  hold.release();
  run = await world.start();
  expect((await run.host.sandboxes.list({ labels: {}, all: true })).map(({ id }) => id)).toEqual([sourceId]);
  expect((await fork({ count: 2 }, sourceId, 'key')).sandboxes).toHaveLength(2);
  expect(world.machines.running).toHaveLength(3);
});
