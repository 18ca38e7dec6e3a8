import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { Served } from '../api/testing/served.ts';
import { isForkFailed } from './fork.ts';
import { Sandbox } from './sandbox.ts';

let served: Served;
let source: Sandbox;
beforeEach(async () => {
  served = await Served.start();
  source = await Sandbox.create({ id: 'sbx_1', connection: { host: `unix:${served.socketPath}` } });
});
afterEach(async () => {
  await source.disconnect();
  await served[Symbol.asyncDispose]();
});

interface ForkCall {
  request: { id: string; count: number };
  key: string;
}

function forkCalls(): ForkCall[] {
  return served.host.calls
    .filter(([call]) => call === 'fork')
    .map(([, , request, key]) => ({ request, key }) as ForkCall);
}

describe('a fork', () => {
  test('without count is one sandbox, with count a list in order, also of one', async () => {
    const one = await source.fork({ labels: { try: '1' }, timeoutSeconds: 60, egress: { mode: 'none' } });
    expectTypeOf(one).toEqualTypeOf<Sandbox>();
    expect(one.info).toMatchObject({ forkedFrom: 'sbx_1', generation: 2, labels: { try: '1' } });
    const list = await source.fork({ count: 1 });
    expectTypeOf(list).toEqualTypeOf<Sandbox[]>();
    expect(list).toHaveLength(1);
    const three = await source.fork({ count: 3 });
    expect(three.map(({ id }) => id.slice(-2))).toEqual(['-0', '-1', '-2']);
    expect(forkCalls().map(({ request }) => request.count)).toEqual([1, 1, 3]);
    expect(forkCalls()[0]?.request).toMatchObject({ timeoutSeconds: 60, egress: { mode: 'none' } });
  });

  test('has an id and a key of its own', async () => {
    await source.fork();
    await source.fork();
    const ids = forkCalls().map(({ request }) => request.id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^frk_[0-9A-Z]{26}$/);
    expect(forkCalls().map(({ key }) => key)).toEqual(ids);
  });

  test('under a key of the caller is the same fork again', async () => {
    const first = await source.fork({ count: 2, idempotencyKey: 'build-7' });
    const again = await source.fork({ count: 2, idempotencyKey: 'build-7' });
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(served.host.forks.begun).toBe(1);
    expect(new Set(forkCalls().map(({ request }) => request.id)).size).toBe(1);
  });

  test('leaves how the source stood still, and the kept snapshot, at the source', async () => {
    expect(source.lastFork).toBeUndefined();
    const copies = await source.fork({ count: 2, keepSnapshot: 'mine' });
    expect(source.lastFork).toMatchObject({ pausedMs: 8.5, method: 'clone', snapshot: { name: 'mine' } });
    expect(source.lastFork?.sandboxIds).toEqual(copies.map(({ id }) => id));
  });

  test('gives copies that live on when the source’s object is disposed', async () => {
    const copy = await source.fork();
    await source[Symbol.asyncDispose]();
    expect(await copy.refresh()).toMatchObject({ id: copy.id, state: 'running' });
    await copy.disconnect();
  });

  test.each([0, 101, -1, 1.5, '3' as unknown as number])('of a count of %j is refused', async (count) => {
    await expect(source.fork({ count })).rejects.toMatchObject({ code: 'invalid-request' });
  });

  test('that partly fails tells which copies run, with types', async () => {
    served.host.forks.failing.add(1);
    const error: unknown = await source.fork({ count: 3 }).catch((thrown: unknown) => thrown);
    if (!isForkFailed(error)) throw new Error('not a failed fork', { cause: error });
    expectTypeOf(error.details.startedSandboxIds).toExtend<string[]>();
    expect(error.details.failures).toMatchObject([{ index: 1, code: 'capacity-exhausted' }]);
    const running = await Promise.all(
      error.details.startedSandboxIds.map((id) => Sandbox.connect(id, { host: `unix:${served.socketPath}` })),
    );
    expect(running.map(({ info }) => info.state)).toEqual(['running', 'running']);
    for (const copy of running) await copy[Symbol.asyncDispose]();
  });

  test('that failed is told from other errors', () => {
    expect(isForkFailed(new Error('x'))).toBe(false);
    expect(isForkFailed(undefined)).toBe(false);
  });
});

describe('a signal', () => {
  test('that fires cancels the fork: nothing of it is left when the call rejects with its reason', async () => {
    served.host.forks.held = new Promise(() => undefined);
    const leaving = new AbortController();
    const fork = source.fork({ count: 3, signal: leaving.signal });
    await expect.poll(() => served.host.forks.underWay).toBe(1);
    expect(served.host.machines.size).toBe(4);
    const reason = new Error('enough');
    leaving.abort(reason);
    await expect(fork).rejects.toBe(reason);
    expect([...served.host.machines.keys()]).toEqual(['sbx_1']);
    expect(served.host.forks.underWay).toBe(0);
  });

  test('that has fired sends nothing', async () => {
    await expect(source.fork({ signal: AbortSignal.abort('early') })).rejects.toBe('early');
    expect(forkCalls()).toEqual([]);
  });

  test('that does not fire changes nothing, and later firing cancels nothing', async () => {
    const leaving = new AbortController();
    await source.fork({ signal: leaving.signal });
    leaving.abort();
    await sleep(20);
    expect(served.host.calls.filter(([call]) => call === 'cancel')).toEqual([]);
  });
});

test('pause, resume and snapshot', async () => {
  expect(await source.pause({ hibernateAfterSeconds: 0 })).toMatchObject({ state: 'paused' });
  expect(source.info.paused).toMatchObject({ hibernated: true });
  expect(await source.resume()).toMatchObject({ state: 'running', paused: null });
  await source.pause();
  expect(source.info.paused).toMatchObject({ hibernated: false });
  expect(await source.snapshot({ name: 'monday', retentionDays: 1 })).toMatchObject({ name: 'monday' });
  await expect(source.snapshot({ name: 'monday' })).rejects.toMatchObject({ code: 'snapshot-exists' });
  const connection = { host: `unix:${served.socketPath}` };
  const created = await Sandbox.create({ snapshot: 'monday', bootDisk: true, connection });
  expect(created.info.snapshot).toBe('monday');
  await created.disconnect();
  await expect(Sandbox.create({ snapshot: 'monday', cpus: 2, connection })).rejects.toMatchObject({
    code: 'invalid-request',
  });
});
