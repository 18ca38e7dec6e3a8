import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forkSchema } from '../../contract/fork.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { onFaultPoint } from '../../platform/fault-points.ts';
import { createRequest, execRequest, until, World, type HostRun } from '../testing/world.ts';

let world: World;
let run: HostRun;
let id: string;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  id = sandbox.id;
});
afterEach(() => world.remove());

const { parse } = forkSchema;
const state = async () => (await run.host.sandboxes.get(id)).state;
const checkpoints = () => readdir(join(world.stateDirectory, 'checkpoints'));

async function restart(bootId = world.bootId): Promise<void> {
  await run.host.stop();
  run.store.close();
  if (bootId !== world.bootId) world.machines.byDirectory.clear();
  world.bootId = bootId;
  run = await world.start();
}

test('a paused sandbox stands still, and its execs wait', async () => {
  const paused = await run.host.sandboxes.pause(id);
  expect(paused).toMatchObject({ state: 'paused', paused: { hibernated: false } });
  expect(world.vm(id).paused).toBe(true);
  expect(world.guest(id).frozen).toBe(true);
  await expect(run.host.execs.start(id, execRequest({ shell: 'true' }))).rejects.toMatchObject({
    code: 'sandbox-not-running',
    hint: expect.stringContaining('sandbox resume') as string,
  });
});

test('it goes on where it was, its clock and random numbers set, under its own name', async () => {
  await run.host.sandboxes.pause(id);
  const identities = world.guest(id).identities.length;
  expect(await run.host.sandboxes.resume(id)).toMatchObject({ state: 'running', paused: null });
  expect(world.vm(id).paused).toBe(false);
  expect(world.guest(id).frozen).toBe(false);
  const told = world.guest(id).identities.slice(identities);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ dropStreams: false });
  expect(told[0]).not.toHaveProperty('hostname');
});

test('both can be asked for again and again', async () => {
  await Promise.all([run.host.sandboxes.pause(id), run.host.sandboxes.pause(id)]);
  expect(await state()).toBe('paused');
  await Promise.all([run.host.sandboxes.resume(id), run.host.sandboxes.resume(id)]);
  expect(await state()).toBe('running');
});

test('a pause that fails leaves it running', async () => {
  run.vmm.failNext('pause', new OffshootError('internal'));
  await expect(run.host.sandboxes.pause(id)).rejects.toMatchObject({ code: 'internal' });
  expect(await state()).toBe('running');
  expect(world.guest(id).frozen).toBe(false);
});

test('the lease goes on while it is paused', async () => {
  await run.host.sandboxes.pause(id);
  world.clock.advance(3601 * 1000);
  await until(async () => (await state()) === 'gone');
  expect((await run.host.sandboxes.get(id)).end?.reason).toBe('lease-expired');
});

describe('on disk', () => {
  test('after the time it was given, it has no process and takes no room', async () => {
    await run.host.sandboxes.pause(id);
    const taken = (await run.host.info()).capacity.sandboxes;
    world.clock.advance(61_000);
    await until(async () => (await run.host.sandboxes.get(id)).paused?.hibernated === true);
    expect(world.machines.running).toEqual([]);
    expect((await run.host.info()).capacity.sandboxes).toBe(taken - 1);
    expect(await checkpoints()).toHaveLength(1);
    expect(await readdir(world.imageDirectory).catch(() => [])).toEqual([]);
  });

  test('with no time to wait the answer comes when the process is gone', async () => {
    expect(await run.host.sandboxes.pause(id, 0)).toMatchObject({ state: 'paused', paused: { hibernated: true } });
    expect(world.machines.running).toEqual([]);
  });

  test('it comes back with its execs', async () => {
    const gate = Promise.withResolvers<undefined>();
    world.guest(id).script = async (control) => {
      await control.stdout('before ');
      await gate.promise;
      await control.stdout('after');
      return undefined;
    };
    const { exec } = await run.host.execs.start(id, execRequest({ shell: 'serve' }));
    const pieces: string[] = [];
    const reading = (async () => {
      const signal = new AbortController().signal;
      for await (const { bytes } of run.host.execs.output(id, exec.id, 0, true, signal)) pieces.push(bytes.toString());
    })();
    await until(() => pieces.join('') === 'before ');
    await run.host.sandboxes.pause(id, 0);
    expect((await run.host.execs.get(id, exec.id)).state).toBe('running');
    await run.host.sandboxes.resume(id);
    gate.resolve(undefined);
    await reading;
    expect(pieces.join('')).toBe('before after');
    expect(await run.host.execs.get(id, exec.id)).toMatchObject({ state: 'ended', exitCode: 0 });
  });

  test('a save that fails leaves it paused in memory', async () => {
    run.vmm.failNext('hibernate', new OffshootError('host-disk-full'));
    await expect(run.host.sandboxes.pause(id, 0)).rejects.toMatchObject({ code: 'host-disk-full' });
    expect(await run.host.sandboxes.get(id)).toMatchObject({ state: 'paused', paused: { hibernated: false } });
    expect(await checkpoints()).toEqual([]);
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
  });

  test('without room it stays on disk', async () => {
    await run.host.sandboxes.pause(id, 0);
    world.clock.advance(1000);
    world.resources.reading.memoryAvailableMiB = 100;
    await expect(run.host.sandboxes.resume(id)).rejects.toMatchObject({ code: 'capacity-exhausted' });
    expect(await run.host.sandboxes.get(id)).toMatchObject({ state: 'paused', paused: { hibernated: true } });
    world.resources.reading.memoryAvailableMiB = 16_000;
    world.clock.advance(1000);
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
  });

  test('stopped there, nothing is left', async () => {
    await run.host.sandboxes.pause(id, 0);
    await run.host.sandboxes.stop(id);
    expect(await checkpoints()).toEqual([]);
    expect(world.network.slots.size).toBe(0);
  });

  test('a fork of it leaves it paused', async () => {
    await run.host.sandboxes.pause(id, 0);
    const { sandboxes, pausedMs } = await run.host.sandboxes.fork(id, parse({ count: 2 }));
    expect(sandboxes.map((copy) => copy.state)).toEqual(['running', 'running']);
    expect(pausedMs).toBe(0);
    expect((await run.host.sandboxes.get(id)).paused).toMatchObject({ hibernated: true });
    await run.host.sandboxes.stop(id);
    expect(await checkpoints()).toHaveLength(1);
    for (const copy of sandboxes) await run.host.sandboxes.stop(copy.id);
    expect(await checkpoints()).toEqual([]);
  });
});

describe('restarts', () => {
  test('of hostd: paused in memory it is taken up as it was', async () => {
    await run.host.sandboxes.pause(id);
    await restart();
    expect(await state()).toBe('paused');
    expect(world.vm(id).paused).toBe(true);
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
    expect(world.guest(id).frozen).toBe(false);
  });

  test('of hostd: on disk as well', async () => {
    await run.host.sandboxes.pause(id, 0);
    await restart();
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
  });

  test('of the host: what was on disk comes back, with what was left of its lease', async () => {
    await run.host.sandboxes.pause(id, 0);
    const before = Date.parse((await run.host.sandboxes.get(id)).expiresAt);
    world.network.slots.clear();
    await restart('boot-2');
    const after = Date.parse((await run.host.sandboxes.get(id)).expiresAt);
    expect(Math.abs(after - before)).toBeLessThan(2000);
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
    expect(world.network.slots.size).toBe(1);
  });

  test('of the host: what its network counts anew adds to what was counted', async () => {
    const [slot = -1] = world.network.slots.keys();
    const count = (packets: number) =>
      world.network.filterRows.set(slot, [
        { outcome: 'opened', address: '192.0.2.1', port: 22, protocol: 'tcp', packets, bytes: packets * 60 },
      ]);
    const connections = async () => (await run.host.sandboxes.egressReport(id)).allowed.map((entry) => entry.count);
    count(2);
    await run.host.sandboxes.pause(id, 0);
    expect(await connections()).toEqual([2]);
    world.network.slots.clear();
    world.network.filterRows.clear();
    await restart('boot-2');
    await run.host.sandboxes.resume(id);
    count(3);
    expect(await connections()).toEqual([5]);
  });

  test('of the host: what was in memory is gone', async () => {
    await run.host.sandboxes.pause(id);
    await restart('boot-2');
    expect((await run.host.sandboxes.get(id)).end?.reason).toBe('host-rebooted');
  });

  test('hostd killed while it saves: the half save is gone, and it is saved again', async () => {
    const hold = run.vmm.holdNext('hibernate');
    run.host.sandboxes.pause(id, 0).catch(() => undefined);
    await hold.reached;
    const halfMade = await checkpoints();
    expect(halfMade).toHaveLength(1);
    world.kill(run);
    run = await world.start();
    await until(async () => (await run.host.sandboxes.get(id)).paused?.hibernated === true);
    const made = await checkpoints();
    expect(made).toHaveLength(1);
    expect(made).not.toEqual(halfMade);
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
  });

  test('hostd killed after a save that is whole: the sandbox is on disk', async () => {
    const restore = onFaultPoint((point) =>
      point === 'hibernate.after-save' ? new Promise(() => undefined) : undefined,
    );
    run.host.sandboxes.pause(id, 0).catch(() => undefined);
    await until(() => world.machines.running.length === 0);
    world.kill(run);
    restore();
    run = await world.start();
    expect(await run.host.sandboxes.get(id)).toMatchObject({ state: 'paused', paused: { hibernated: true } });
    expect(await checkpoints()).toHaveLength(1);
    await run.host.sandboxes.resume(id);
    expect(await state()).toBe('running');
  });
});

test('a machine that ends while it is saved takes the sandbox with it', async () => {
  const hold = run.vmm.holdNext('hibernate');
  const pausing = run.host.sandboxes.pause(id, 0);
  pausing.catch(() => undefined);
  await hold.reached;
  world.vm(id).end({ cause: 'vmm-killed' });
  hold.release();
  await expect(pausing).rejects.toBeDefined();
  await until(async () => (await state()) === 'gone');
  expect((await run.host.sandboxes.get(id)).end?.reason).toBe('vmm-killed');
  expect(await checkpoints()).toEqual([]);
});

test('a sandbox that is stopped while it is brought back tells that it is gone, and leaves nothing', async () => {
  await run.host.sandboxes.pause(id, 0);
  const hold = run.vmm.holdNext('started');
  const resuming = run.host.sandboxes.resume(id);
  resuming.catch(() => undefined);
  await hold.reached;
  const stopping = run.host.sandboxes.stop(id);
  run.vmm.failNext('pause');
  hold.release();
  await stopping;
  await expect(resuming).rejects.toMatchObject({ code: 'sandbox-gone' });
  expect(world.machines.running).toEqual([]);
});
