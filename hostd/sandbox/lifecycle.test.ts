import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { createRequest, execRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
});
afterEach(() => world.remove());

test('a created sandbox runs, and is gone with all it had once it is stopped', async () => {
  const { sandbox, created } = await run.host.sandboxes.create(createRequest({ labels: { job: '1' } }));
  expect(created).toBe(true);
  expect(sandbox).toMatchObject({ state: 'running', memoryMiB: 512, diskMiB: 8192, labels: { job: '1' }, end: null });
  expect(world.network.slots.size).toBe(1);

  const stopped = await run.host.sandboxes.stop(sandbox.id);

  expect(stopped).toMatchObject({ state: 'gone', end: { reason: 'stopped' }, usage: { peakMemoryMiB: 64 } });
  expect(world.network.slots.size).toBe(0);
  expect(world.machines.running).toEqual([]);
  await expect(access(join(world.stateDirectory, 'sandboxes', sandbox.id))).rejects.toThrow();
  expect(run.store.resources.all().map(({ kind }) => kind)).toEqual(['template']);
});

test('the guest is told an identity of its own before it runs', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest({ id: 'sbx_My_Box' }));
  const [identity] = world.guest(sandbox.id).identities;
  expect(identity).toMatchObject({ hostname: 'sbx-my-box', nameserver: '10.83.255.253', dropStreams: true });
  expect(identity?.entropy.length).toBeGreaterThanOrEqual(32);
});

test('the VMM runs as the user of its slot', async () => {
  await run.host.sandboxes.create(createRequest());
  const launch = run.vmm.launches.at(-1);
  const slot = [...world.network.slots.keys()][0] ?? -1;
  expect(launch?.uid).toBe(640_000 + slot);
  expect(world.network.slots.get(slot)?.uid).toBe(launch?.uid);
});

test('two stops at once share one teardown', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  const hold = run.vmm.holdNext('kill');
  const stops = [run.host.sandboxes.stop(sandbox.id), run.host.sandboxes.stop(sandbox.id)];
  await hold.reached;
  expect((await run.host.sandboxes.get(sandbox.id)).state).toBe('stopping');
  hold.release();
  const ended = await Promise.all(stops);
  expect(ended.map(({ state }) => state)).toEqual(['gone', 'gone']);
  expect(world.network.calls.filter((call) => call.startsWith('remove'))).toHaveLength(1);
  expect((await run.host.sandboxes.stop(sandbox.id)).state).toBe('gone');
});

test('a stop is bounded when the VMM does not end', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  const hold = run.vmm.holdNext('kill');
  const stopping = run.host.sandboxes.stop(sandbox.id);
  await hold.reached;
  world.clock.advance(5001);
  expect((await stopping).state).toBe('gone');
  expect(world.machines.running).toEqual([]);
  hold.release();
});

test('a network that is not removed at first is tried again', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  world.network.failNext('remove');
  const stopping = run.host.sandboxes.stop(sandbox.id);
  await until(() => world.network.calls.filter((call) => call.startsWith('remove')).length === 1);
  await settle();
  world.clock.advance(200);
  expect((await stopping).state).toBe('gone');
  expect(world.network.slots.size).toBe(0);
});

test('a stop while the sandbox is created ends the create and leaves nothing', async () => {
  await run.host.sandboxes.create(createRequest({ id: 'sbx_first' })); // the template is there
  const hold = run.vmm.holdNext('started');
  const creating = run.host.sandboxes.create(createRequest({ id: 'sbx_a' }));
  const failed = expect(creating).rejects.toMatchObject({ code: 'sandbox-gone' });
  await hold.reached;
  const stopping = run.host.sandboxes.stop('sbx_a');
  hold.release();
  expect((await stopping).end?.reason).toBe('stopped');
  await failed;
  expect(world.machines.running).toHaveLength(1);
  expect(world.network.slots.size).toBe(1);
});

test('a stop is not held up by a guest that never answers', async () => {
  await run.host.sandboxes.create(createRequest({ id: 'sbx_first' }));
  const guest = world.guest('sbx_a');
  guest.hanging = true;
  const hanging = expect(run.host.sandboxes.create(createRequest({ id: 'sbx_a' }))).rejects.toMatchObject({
    code: 'sandbox-gone',
  });
  await until(() => world.guests.connects.some(({ socketPath }) => socketPath.includes('sbx_a')));
  expect((await run.host.sandboxes.stop('sbx_a')).state).toBe('gone');
  await hanging;
  guest.hanging = false;
});

test('a guest that never answers fails the create with its console', async () => {
  await run.host.sandboxes.create(createRequest({ id: 'sbx_first' }));
  world.guest('sbx_a').failNext('prepareResume', new OffshootError('guest-unresponsive'));
  const start = run.vmm.start.bind(run.vmm);
  run.vmm.start = async (launch, onRecord) => {
    const vm = await start(launch, onRecord);
    if (launch.start.kind === 'restore') {
      world.vm('sbx_a').console = 'Kernel panic';
      world.guest('sbx_a').failNext('prepareResume', new OffshootError('guest-unresponsive'));
    }
    return vm;
  };
  await expect(run.host.sandboxes.create(createRequest({ id: 'sbx_a' }))).rejects.toMatchObject({
    code: 'boot-failed',
    details: { console: 'Kernel panic' },
  });
  const ended = await run.host.sandboxes.get('sbx_a');
  expect(ended).toMatchObject({ state: 'gone', end: { reason: 'create-failed' } });
  expect(world.machines.running).toHaveLength(1);
  expect(world.network.slots.size).toBe(1);
});

test('a restore that fails once is tried again with the same template', async () => {
  run.vmm.failNext('started');
  await run.host.sandboxes.create(createRequest({ id: 'sbx_0' })); // used up by the cold boot's retry
  const before = run.vmm.launches.length;
  run.vmm.failNext('started');
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  expect(sandbox.state).toBe('running');
  const kinds = run.vmm.launches.slice(before).map(({ start }) => start.kind);
  expect(kinds).toEqual(['restore', 'restore']);
});

test('a template that fails twice is dropped and made anew once', async () => {
  await run.host.sandboxes.create(createRequest());
  const before = run.vmm.launches.length;
  for (let count = 0; count < 2; count += 1) run.vmm.failNext('started');
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  expect(sandbox.state).toBe('running');
  expect(run.vmm.launches.slice(before).map(({ start }) => start.kind)).toEqual([
    'restore',
    'restore',
    'cold',
    'restore',
  ]);

  // It never works: the new template is tried, not remade for ever, and the create says why.
  const start = run.vmm.launches.length;
  const startFault = () =>
    run.vmm.failNext('started', new OffshootError('boot-failed', { details: { console: 'BUG' } }));
  const original = run.vmm.start.bind(run.vmm);
  run.vmm.start = async (launch, onRecord) => {
    if (launch.start.kind === 'restore') startFault();
    return original(launch, onRecord);
  };
  await expect(run.host.sandboxes.create(createRequest({ id: 'sbx_bad' }))).rejects.toMatchObject({
    code: 'boot-failed',
  });
  const tried = ['restore', 'restore', 'cold', 'restore', 'restore'];
  expect(run.vmm.launches.slice(start).map((launch) => launch.start.kind)).toEqual(tried);
  expect((await run.host.sandboxes.get('sbx_bad')).end?.reason).toBe('create-failed');
});

test.each([
  ['guest-panic', 'guest-panicked'],
  ['guest-shutdown', 'guest-shutdown'],
  ['vmm-crashed', 'vmm-crashed'],
  ['vmm-killed', 'vmm-killed'],
  ['unknown', 'lost'],
] as const)('a machine that ends by %s leaves a tombstone that says %s', async (cause, reason) => {
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  const { exec } = await startSleeper(sandbox.id);
  world.vm(sandbox.id).console = 'last words';
  world.vm(sandbox.id).end({ cause, consoleTail: 'last words' });
  await until(async () => (await run.host.sandboxes.get(sandbox.id)).state === 'gone');
  expect((await run.host.sandboxes.get(sandbox.id)).end?.reason).toBe(reason);
  expect(await run.host.sandboxes.console(sandbox.id)).toBe('last words');
  expect((await run.host.execs.get(sandbox.id, exec.id)).failure?.code).toBe('sandbox-ended');
  expect(world.network.slots.size).toBe(0);
});

test('an agent that breaks the protocol ends its sandbox and no other', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  const { sandbox: other } = await run.host.sandboxes.create(createRequest());
  world.guest(sandbox.id).drop('protocol');
  await until(async () => (await run.host.sandboxes.get(sandbox.id)).state === 'gone');
  expect((await run.host.sandboxes.get(sandbox.id)).end?.reason).toBe('guest-protocol');
  expect((await run.host.sandboxes.get(other.id)).state).toBe('running');
});

test('an agent that is gone while its VMM lives ends the sandbox after a moment', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  world.guest(sandbox.id).drop('carrier-gone');
  await settle();
  expect((await run.host.sandboxes.get(sandbox.id)).state).toBe('running');
  world.clock.advance(5001);
  await until(async () => (await run.host.sandboxes.get(sandbox.id)).state === 'gone');
  expect((await run.host.sandboxes.get(sandbox.id)).end?.reason).toBe('lost');
});

test('the environment of a sandbox is a file for root alone, and is gone with it', async () => {
  const { sandbox } = await run.host.sandboxes.create(createRequest({ env: { TOKEN: 'secret-value' } }));
  const path = join(world.stateDirectory, 'sandboxes', sandbox.id, 'env.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await run.host.sandboxes.stop(sandbox.id);
  await expect(access(path)).rejects.toThrow();
  run.store.close();
  for (const file of ['state.db']) {
    expect((await readFile(join(world.stateDirectory, file))).includes('secret-value')).toBe(false);
  }
});

test('a sandbox that is not there, not running, or gone says so', async () => {
  await expect(run.host.sandboxes.get('sbx_none')).rejects.toMatchObject({ code: 'sandbox-not-found' });
  await expect(run.host.sandboxes.stop('sbx_none')).rejects.toMatchObject({ code: 'sandbox-not-found' });
  const { sandbox } = await run.host.sandboxes.create(createRequest());
  await run.host.sandboxes.stop(sandbox.id);
  await expect(run.host.execs.start(sandbox.id, execRequest({ argv: ['true'] }))).rejects.toMatchObject({
    code: 'sandbox-gone',
    details: { end: { reason: 'stopped' } },
  });
});

test('list shows live sandboxes by label, and tombstones when asked', async () => {
  const a = await run.host.sandboxes.create(createRequest({ labels: { job: 'a' } }));
  const b = await run.host.sandboxes.create(createRequest({ labels: { job: 'b' } }));
  await run.host.sandboxes.stop(a.sandbox.id);
  const ids = async (all: boolean, labels = {}) => (await run.host.sandboxes.list({ all, labels })).map(({ id }) => id);
  expect(await ids(false)).toEqual([b.sandbox.id]);
  expect(await ids(true)).toEqual([b.sandbox.id, a.sandbox.id]);
  expect(await ids(true, { job: 'a' })).toEqual([a.sandbox.id]);
});

async function startSleeper(sandboxId: string) {
  world.guest(sandboxId).script = async (control) => {
    await control.nextSignal();
    return { exitCode: null, signalNumber: 15 };
  };
  return run.host.execs.start(sandboxId, execRequest({ argv: ['sleep', '1000'] }));
}
