import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { FakeVm } from '../vmm/fake-vmm.ts';
import { spareOwnerPrefix } from './spare-maker.ts';
import { createRequest, execRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;

beforeEach(async () => {
  world = await World.create({ spares: 1, spareDelayMs: 0, maxSandboxes: 4 });
  run = await world.start();
});
afterEach(() => world.remove());

const create = async (input = {}) => (await run.host.sandboxes.create(createRequest(input))).sandbox;
const machines = () => readdir(join(world.stateDirectory, 'machines'));
const spareOwners = () => run.store.resources.all().filter(({ owner }) => owner.startsWith(spareOwnerPrefix));

/** Machines that run and belong to no sandbox. */
const spares = (): FakeVm[] => world.machines.running.filter((vm) => vm.record.directory.includes('/machines/'));

/** The spare is warm: nothing it was made with still runs. */
async function spareReady(): Promise<FakeVm> {
  await until(
    () => spares().length > 0 && world.guests.machine(spares()[0]?.agentSocketPath ?? '').identities.length === 1,
  );
  await settle();
  const [spare] = spares();
  if (spare === undefined) throw new Error('no spare');
  return spare;
}

async function nothingLeft(): Promise<void> {
  expect(await machines()).toEqual([]);
  expect(world.network.slots.size).toBe(0);
  expect(world.machines.running).toEqual([]);
  expect(run.store.resources.all().filter(({ kind }) => kind !== 'template')).toEqual([]);
}

test('the next sandbox takes the machine that was restored ahead, under a new identity', async () => {
  await create();
  const spare = await spareReady();
  const launches = run.vmm.launches.length;
  const { id } = await create({ id: 'sbx_b', env: { A: '1' } });
  expect(run.vmm.launches.slice(0, launches).at(-1)?.directory).toBe(spare.record.directory);
  const { identities, processes } = world.guests.machine(spare.agentSocketPath);
  expect(identities.map(({ hostname }) => hostname)).toEqual([expect.stringMatching(/^spare-/), 'sbx-b']);
  expect(identities[0]?.entropy).not.toEqual(identities[1]?.entropy);
  expect(processes.size).toBe(0);
  expect(run.store.resources.of(id).find(({ kind }) => kind === 'vm')).toMatchObject({
    name: spare.record.directory,
    detail: { record: spare.record },
  });
  await access(join(world.stateDirectory, 'sandboxes', id, 'env.json'));
  await until(() => spares().length === 2); // this one's, and the next
});

test('a sandbox on such a machine runs execs, is taken up again and leaves nothing', async () => {
  await run.host.sandboxes.stop((await create()).id);
  const spare = await spareReady();
  const { id } = await create({ env: { KEPT: '1' } });
  world.kill(run);
  run = await world.start();
  expect((await run.host.sandboxes.get(id)).state).toBe('running');
  expect(spare.exit).toBeUndefined();
  let env = {};
  world.guests.machine(spare.agentSocketPath).script = async (control) => {
    env = control.spec.env;
    return {};
  };
  const { exec } = await run.host.execs.start(id, execRequest({ argv: ['x'] }));
  await until(async () => (await run.host.execs.get(id, exec.id)).state === 'ended');
  expect(env).toEqual({ KEPT: '1' });
  await run.host.sandboxes.stop(id);
  await run.host.stop();
  await nothingLeft();
});

test('two at once take one each: the ready one, and one that is made for the second', async () => {
  await create();
  await spareReady();
  const both = await Promise.all([create(), create()]);
  const directories = both.map(({ id }) => run.store.resources.of(id).find(({ kind }) => kind === 'vm')?.name);
  expect(directories.filter((name) => name?.includes('/machines/'))).toHaveLength(1);
});

test('one that is still being made is waited for', async () => {
  const hold = (await create(), run.vmm.holdNext('started'));
  await hold.reached;
  const launches = run.vmm.launches.length;
  const creating = create();
  await settle();
  expect(run.vmm.launches).toHaveLength(launches);
  hold.release();
  const { id } = await creating;
  expect(run.store.resources.of(id).find(({ kind }) => kind === 'vm')?.name).toContain('/machines/');
});

test('one that is being made is waited for by one only', async () => {
  const hold = (await create(), run.vmm.holdNext('started'));
  await hold.reached;
  const creating = [create(), create()];
  await settle();
  hold.release();
  const directories = (await Promise.all(creating)).map(
    ({ id }) => run.store.resources.of(id).find(({ kind }) => kind === 'vm')?.name,
  );
  expect(new Set(directories).size).toBe(2);
});

test('none is made while somebody waits for a machine of their own', async () => {
  await create();
  const first = await spareReady();
  const restores = () => run.vmm.launches.filter(({ directory }) => directory.includes('/machines/')).length;
  const hold = run.vmm.holdNext('start');
  const slow = create({ memoryMiB: 1024 });
  await hold.reached;
  await create(); // takes the spare
  await settle();
  expect(restores()).toBe(1);
  hold.release();
  await slow;
  await until(() => restores() === 2);
  expect(first.exit).toBeUndefined();
});

test('one of another shape is not taken', async () => {
  await create();
  const spare = await spareReady();
  const { id } = await create({ memoryMiB: 1024 });
  expect(run.store.resources.of(id).find(({ kind }) => kind === 'vm')?.name).toBe(world.vmDirectory(id));
  await until(() => spare.exit !== undefined); // it was for the shape asked for before
});

test('one is nobody’s until it is taken, and then has the policy of the sandbox that took it', async () => {
  await create({ egress: ['a.example.com'] });
  const spare = await spareReady();
  const [slot, made] = [...world.network.slots].at(-1) ?? [];
  expect(made?.egress).toMatchObject({ policy: { mode: 'enforce', rules: [{ name: 'a.example.com' }] } });
  expect(made?.egress).not.toHaveProperty('sandbox');
  const { id, egress } = await create({ egress: ['b.example.com'] });
  expect(run.store.resources.of(id).find(({ kind }) => kind === 'vm')?.name).toBe(spare.record.directory);
  expect(egress).toEqual({ mode: 'enforce', allow: ['b.example.com:443'], revision: 1 });
  expect(world.network.slots.get(slot ?? -1)?.egress).toMatchObject({
    policy: { rules: [{ name: 'b.example.com' }] },
    sandbox: { id, revision: 1 },
  });
});

test('one made for another policy does not wake before it has the new one', async () => {
  await create({ egress: { mode: 'open' } });
  const spare = await spareReady();
  const identities = () => world.guests.machine(spare.agentSocketPath).identities.length;
  const before = identities();
  const release = world.network.hold('set');
  const creating = create({ egress: [] });
  await settle();
  expect(identities()).toBe(before);
  release();
  await creating;
  expect(identities()).toBe(before + 1);
});

test('one whose network can not be given the policy is no sandbox, and leaves nothing', async () => {
  await create();
  const spare = await spareReady();
  world.network.failNext('set');
  await expect(create()).rejects.toMatchObject({ code: 'network-setup-failed' });
  expect(spare.exit).toBeDefined();
});

test('one that does not answer is replaced by a machine of the sandbox’s own', async () => {
  await create();
  const spare = await spareReady();
  world.guests.machine(spare.agentSocketPath).failNext('prepareResume', new OffshootError('boot-failed'));
  const { id } = await create();
  expect(spare.exit).toBeDefined();
  expect(run.store.resources.of(id).find(({ kind }) => kind === 'vm')?.name).toBe(world.vmDirectory(id));
  await run.host.sandboxes.stop(id);
  expect(await machines()).not.toContain(spare.record.directory.split('/').at(-1));
});

test('a stop while it is taken leaves nothing of it', async () => {
  await run.host.sandboxes.stop((await create()).id);
  const spare = await spareReady();
  world.guests.machine(spare.agentSocketPath).hanging = true;
  const creating = expect(create({ id: 'sbx_b' })).rejects.toMatchObject({ code: 'sandbox-gone' });
  await until(async () => (await run.host.sandboxes.get('sbx_b').catch(() => undefined))?.state === 'creating');
  expect((await run.host.sandboxes.stop('sbx_b')).end?.reason).toBe('stopped');
  await creating;
  expect(spare.exit).toBeDefined();
  world.guests.machine(spare.agentSocketPath).hanging = false;
  await run.host.stop();
  await nothingLeft();
});

test('one that ends by itself is forgotten and removed', async () => {
  await create();
  const spare = await spareReady();
  spare.end({ cause: 'vmm-killed' });
  await until(() => spareOwners().length === 0);
  expect(world.network.slots.size).toBe(1);
  await create();
});

test('they go with hostd, whether it is stopped or killed', async () => {
  await run.host.sandboxes.stop((await create()).id);
  await spareReady();
  await run.host.stop();
  await nothingLeft();
  run.store.close();

  run = await world.start();
  await run.host.sandboxes.stop((await create()).id);
  await spareReady();
  world.kill(run);
  run = await world.start();
  await nothingLeft();
});

test('they are given up when nobody asks any more', async () => {
  await run.host.sandboxes.stop((await create()).id);
  await spareReady();
  for (let step = 0; step < 61; step += 1) {
    world.clock.advance(10_000);
    await settle();
  }
  await until(() => spareOwners().length === 0);
  await nothingLeft();
});

test('they are given up when the host is short of memory, and not made while it is', async () => {
  await create();
  await spareReady();
  world.resources.reading.memoryPressurePercent = 99;
  world.clock.advance(10_000);
  await until(() => spares().length === 0);
  world.resources.reading.memoryPressurePercent = 0;
  world.clock.advance(1000);
  const { id } = await create();
  await spareReady();
  world.resources.reading.diskFreeMiB = 1;
  world.clock.advance(1000);
  await run.host.sandboxes.stop(id);
  world.clock.advance(10_000);
  await until(() => spares().length === 0);
});

test('none are made unless the host is configured to', async () => {
  await run.host.stop();
  run.store.close();
  world.config = {};
  run = await world.start();
  await create();
  await settle();
  expect(spares()).toEqual([]);
});
