import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { createRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;

beforeEach(async () => {
  world = await World.create({ maxSandboxes: 2 });
  run = await world.start();
});
afterEach(() => world.remove());

const create = (input = {}, idempotencyKey?: string, signal?: AbortSignal) =>
  run.host.sandboxes.create(createRequest(input), {
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(signal === undefined ? {} : { signal }),
  });

describe('by id', () => {
  test('the same id and body is the same sandbox, in whatever state', async () => {
    expect((await create({ id: 'sbx_a', labels: { b: '2', a: '1' } })).created).toBe(true);
    const again = await create({ id: 'sbx_a', labels: { a: '1', b: '2' } });
    expect(again).toMatchObject({ created: false, sandbox: { id: 'sbx_a', state: 'running' } });
    await run.host.sandboxes.stop('sbx_a');
    expect(await create({ id: 'sbx_a', labels: { a: '1', b: '2' } })).toMatchObject({
      created: false,
      sandbox: { state: 'gone' },
    });
    expect(world.machines.running).toEqual([]);
  });

  test('how long to wait is not part of the body', async () => {
    await create({ id: 'sbx_a', waitSeconds: 0 });
    expect((await create({ id: 'sbx_a', waitSeconds: 5 })).created).toBe(false);
  });

  test.each([{ memoryMiB: 1024 }, { env: { A: '2' } }, { labels: { x: 'y' } }])(
    'another body (%o) is refused',
    async (other) => {
      await create({ id: 'sbx_a', env: { A: '1' } });
      await expect(create({ id: 'sbx_a', env: { A: '1' }, ...other })).rejects.toMatchObject({
        code: 'sandbox-id-taken',
      });
    },
  );

  test('two at once make one', async () => {
    const both = await Promise.all([create({ id: 'sbx_a' }), create({ id: 'sbx_a' })]);
    expect(both.map(({ created }) => created).sort()).toEqual([false, true]);
    expect(world.machines.running).toHaveLength(1);
  });

  test('an id whose create failed can be made again', async () => {
    world.network.failNext('create');
    await expect(create({ id: 'sbx_a' })).rejects.toMatchObject({ code: 'network-setup-failed' });
    expect((await run.host.sandboxes.get('sbx_a')).end?.reason).toBe('create-failed');
    expect((await create({ id: 'sbx_a' })).sandbox.state).toBe('running');
  });
});

describe('by key', () => {
  test('the same key is the same sandbox, also after a restart of hostd', async () => {
    const first = await create({}, 'key');
    const again = await create({}, 'key');
    expect(again).toMatchObject({ created: false, sandbox: { id: first.sandbox.id } });
    await run.host.stop();
    run.store.close();
    run = await world.start();
    expect((await create({}, 'key')).sandbox.id).toBe(first.sandbox.id);
    expect(world.machines.running).toHaveLength(1);
  });

  test('the same key with another body is a conflict, also while the first is under way', async () => {
    const first = create({}, 'key');
    await expect(create({ memoryMiB: 1024 }, 'key')).rejects.toMatchObject({ code: 'idempotency-conflict' });
    await first;
    await expect(create({ memoryMiB: 1024 }, 'key')).rejects.toMatchObject({ code: 'idempotency-conflict' });
  });

  test('two at once with one key make one', async () => {
    const [a, b] = await Promise.all([create({}, 'key'), create({}, 'key')]);
    expect(a.sandbox.id).toBe(b.sandbox.id);
    expect(world.machines.running).toHaveLength(1);
  });

  test('an error is answered again with the same code, message and details', async () => {
    world.network.failNext('create', {
      error: new OffshootError('network-setup-failed', { message: 'no tun', details: { device: 'tun' } }),
    });
    const wrong = { code: 'network-setup-failed', message: 'no tun', details: { device: 'tun' } };
    await expect(create({}, 'key')).rejects.toMatchObject(wrong);
    await expect(create({}, 'key')).rejects.toMatchObject(wrong);
    expect(world.network.calls.filter((call) => call.startsWith('create'))).toHaveLength(1);
    expect((await create({}, 'other')).created).toBe(true);
  });

  test('it is forgotten after a day', async () => {
    const first = await create({ timeoutSeconds: 604_800 }, 'key');
    world.clock.advance(24 * 3_600_000 + 1);
    expect((await create({ timeoutSeconds: 604_800 }, 'key')).sandbox.id).not.toBe(first.sandbox.id);
  });

  test('a client that gave up in the queue may come back with its key', async () => {
    const a = await create();
    await create();
    const leaving = new AbortController();
    const left = expect(create({ waitSeconds: 60 }, 'key', leaving.signal)).rejects.toMatchObject({ code: 'aborted' });
    await until(async () => (await run.host.info()).capacity.queued === 1);
    leaving.abort();
    await left;
    await run.host.sandboxes.stop(a.sandbox.id);
    expect((await create({}, 'other')).created).toBe(true);
  });

  test('one of two with the same key leaves: the other takes its turn', async () => {
    const a = await create();
    await create();
    const leaving = new AbortController();
    const request = { waitSeconds: 60 };
    const left = expect(create(request, 'key', leaving.signal)).rejects.toMatchObject({ code: 'aborted' });
    const stays = create(request, 'key');
    await settle();
    leaving.abort();
    await left;
    await settle();
    await run.host.sandboxes.stop(a.sandbox.id);
    expect((await stays).sandbox.state).toBe('running');
  });
});

describe('queued', () => {
  test('one that waits is visible, and stopping it ends its create', async () => {
    await create();
    await create();
    const waiting = expect(create({ id: 'sbx_q', waitSeconds: 60 })).rejects.toMatchObject({ code: 'sandbox-gone' });
    await until(async () => (await run.host.info()).capacity.queued === 1);
    expect((await run.host.sandboxes.get('sbx_q')).state).toBe('queued');
    expect((await run.host.sandboxes.stop('sbx_q')).end?.reason).toBe('stopped');
    await waiting;
    expect((await run.host.info()).capacity.queued).toBe(0);
  });

  test('who is refused was never a sandbox', async () => {
    await create();
    await create();
    await expect(create({ id: 'sbx_q' })).rejects.toMatchObject({ code: 'capacity-exhausted' });
    await expect(run.host.sandboxes.get('sbx_q')).rejects.toMatchObject({ code: 'sandbox-not-found' });
  });

  test('stopping hostd tells those who wait, and lets the rest live', async () => {
    await create();
    await create();
    const waiting = expect(create({ id: 'sbx_q', waitSeconds: 60 })).rejects.toMatchObject({ code: 'shutting-down' });
    await until(async () => (await run.host.info()).capacity.queued === 1);
    await run.host.stop();
    await waiting;
    expect(world.machines.running).toHaveLength(2);
    await expect(create()).rejects.toMatchObject({ code: 'shutting-down' });
  });
});
