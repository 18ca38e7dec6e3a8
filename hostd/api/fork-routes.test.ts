import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forkResultSchema, sandboxSchema, snapshotListSchema, snapshotSchema } from '../contract/index.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { Served } from './testing/served.ts';

let served: Served;
beforeEach(async () => {
  served = await Served.start();
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1', labels: { from: 'source' } } });
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

const forkPath = '/v1/sandboxes/sbx_1/fork';
const callsOf = (name: string) => served.host.calls.filter(([call]) => call === name);

describe('a fork', () => {
  it('answers 201 with its copies in order, and how the source stood still', async () => {
    const json = {
      id: 'frk_a',
      count: 3,
      labels: { try: '1' },
      egress: { mode: 'none', allow: [] },
      timeoutSeconds: 60,
    };
    const answer = await served.send('POST', forkPath, { json, headers: { 'idempotency-key': 'key-1' } });
    expect(answer.status).toBe(201);
    const fork = forkResultSchema.parse(JSON.parse(answer.text));
    expect(fork).toMatchObject({ id: 'frk_a', pausedMs: 8.5, method: 'clone', snapshot: null });
    expect(fork.sandboxes.map(({ id }) => id)).toEqual(['sbx_a-0', 'sbx_a-1', 'sbx_a-2']);
    expect(fork.sandboxes[0]).toMatchObject({ forkedFrom: 'sbx_1', generation: 2, labels: { from: 'source' } });
    expect(callsOf('fork')).toEqual([['fork', 'sbx_1', { ...json, keepSnapshot: false }, 'key-1']]);
  });

  it('of an empty body is one copy without labels of its own', async () => {
    expect((await served.send('POST', forkPath)).status).toBe(201);
    expect(callsOf('fork')).toEqual([['fork', 'sbx_1', { count: 1, labels: {}, keepSnapshot: false }, undefined]]);
  });

  it('keeps a snapshot when it is asked to', async () => {
    const fork = await served.json('POST', forkPath, { json: { keepSnapshot: 'mine' } });
    expect(fork).toMatchObject({ snapshot: { name: 'mine' } });
    expect(await served.json('GET', '/v1/snapshots/mine')).toMatchObject({ sandboxId: 'sbx_1' });
  });

  it('that partly fails tells which copies run and why the others do not', async () => {
    served.host.forks.failing.add(1);
    const problem = await served.problem('POST', forkPath, { json: { id: 'frk_b', count: 3 } });
    expect(problem).toMatchObject({
      status: 500,
      code: 'fork-failed',
      details: {
        startedSandboxIds: ['sbx_b-0', 'sbx_b-2'],
        failures: [{ index: 1, code: 'capacity-exhausted' }],
      },
    });
    expect(await served.json('GET', '/v1/sandboxes/sbx_b-2')).toMatchObject({ state: 'running' });
  });

  it('goes on when its client is gone, and asked again under its key answers the same', async () => {
    const held = Promise.withResolvers<undefined>();
    served.host.forks.held = held.promise;
    const leaving = new AbortController();
    const request = { json: { id: 'frk_c', count: 2 }, headers: { 'idempotency-key': 'key-2' } };
    const lost = served.send('POST', forkPath, { ...request, signal: leaving.signal }).catch(() => 'lost');
    await expect.poll(() => served.host.forks.underWay).toBe(1);
    leaving.abort();
    expect(await lost).toBe('lost');
    await expect.poll(() => served.logLines.join('')).toContain('"status":499');
    await sleep(20);
    expect(served.host.forks.underWay).toBe(1);
    held.resolve(undefined);
    const again = await served.send('POST', forkPath, request);
    expect(again.status).toBe(201);
    expect(JSON.parse(again.text)).toMatchObject({ sandboxes: [{ id: 'sbx_c-0' }, { id: 'sbx_c-1' }] });
    expect(served.host.forks.begun).toBe(1);
    expect(callsOf('cancel')).toEqual([]);
  });

  it('that is cancelled answers fork-cancelled, the cancel 204, and its copies are gone', async () => {
    served.host.forks.held = new Promise(() => undefined);
    const fork = served.problem('POST', forkPath, { json: { id: 'frk_d', count: 2 } });
    await expect.poll(() => served.host.forks.underWay).toBe(1);
    expect((await served.send('DELETE', '/v1/forks/frk_d')).status).toBe(204);
    expect(await fork).toMatchObject({ status: 409, code: 'fork-cancelled', details: { startedSandboxIds: [] } });
    expect([...served.host.machines.keys()]).toEqual(['sbx_1']);
  });

  it('that is not under way can not be cancelled', async () => {
    await served.send('POST', forkPath, { json: { id: 'frk_e' } });
    expect(await served.problem('DELETE', '/v1/forks/frk_e')).toMatchObject({ status: 404, code: 'fork-not-found' });
  });

  it('of a sandbox nobody made is sandbox-not-found', async () => {
    expect(await served.problem('POST', '/v1/sandboxes/sbx_2/fork')).toMatchObject({ code: 'sandbox-not-found' });
  });
});

describe('a pause', () => {
  it('and a resume answer the sandbox as it is then', async () => {
    const paused = sandboxSchema.parse(await served.json('POST', '/v1/sandboxes/sbx_1/pause'));
    expect(paused).toMatchObject({ state: 'paused', paused: { hibernated: false } });
    const json = { hibernateAfterSeconds: 0 };
    expect(await served.json('POST', '/v1/sandboxes/sbx_1/pause', { json })).toMatchObject({
      paused: { hibernated: true },
    });
    expect(callsOf('pause')).toEqual([
      ['pause', 'sbx_1', undefined],
      ['pause', 'sbx_1', 0],
    ]);
    const resumed = await served.send('POST', '/v1/sandboxes/sbx_1/resume');
    expect(resumed.status).toBe(200);
    expect(JSON.parse(resumed.text)).toMatchObject({ state: 'running', paused: null });
  });
});

describe('snapshots', () => {
  const keep = (json: unknown) => served.send('POST', '/v1/sandboxes/sbx_1/snapshot', { json });

  it('are kept with 201 and Location, listed, described and removed', async () => {
    const kept = await keep({ name: 'monday', retentionDays: 7 });
    expect(kept.status).toBe(201);
    expect(kept.headers.location).toBe('/v1/snapshots/monday');
    expect(snapshotSchema.parse(JSON.parse(kept.text)).expiresAt).toBe('2030-01-08T00:00:00.000Z');
    expect(callsOf('snapshot')).toEqual([['snapshot', 'sbx_1', { name: 'monday', retentionDays: 7 }]]);
    const { snapshots } = snapshotListSchema.parse(await served.json('GET', '/v1/snapshots'));
    expect(snapshots.map(({ name }) => name)).toEqual(['monday']);
    expect(await served.json('GET', '/v1/snapshots/monday')).toMatchObject({ restorable: { ok: true } });
    expect((await served.send('DELETE', '/v1/snapshots/monday')).status).toBe(204);
    expect(await served.problem('GET', '/v1/snapshots/monday')).toMatchObject({ code: 'snapshot-not-found' });
    expect(await served.problem('DELETE', '/v1/snapshots/monday')).toMatchObject({ code: 'snapshot-not-found' });
  });

  it('have each name once', async () => {
    await keep({ name: 'monday' });
    const json = { name: 'monday' };
    const problem = await served.problem('POST', '/v1/sandboxes/sbx_1/snapshot', { json });
    expect(problem).toMatchObject({ status: 409, code: 'snapshot-exists' });
  });

  it('that sandboxes stand on are not removed, and the sandboxes are named', async () => {
    served.host.snapshots.remove = () =>
      Promise.reject(new OffshootError('snapshot-in-use', { details: { usedBy: ['sbx_7'] } }));
    const problem = await served.problem('DELETE', '/v1/snapshots/monday');
    expect(problem).toMatchObject({ status: 409, code: 'snapshot-in-use', details: { usedBy: ['sbx_7'] } });
  });

  it('can be created from, memory and disk or disk alone', async () => {
    await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_2', snapshot: 'monday' } });
    await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_3', snapshot: 'monday', bootDisk: true } });
    const [, whole, disk] = callsOf('create').map(([, request]) => request);
    expect(whole).toMatchObject({ snapshot: 'monday', bootDisk: false });
    expect(whole).not.toHaveProperty('image');
    expect(disk).toMatchObject({ snapshot: 'monday', bootDisk: true });
  });
});
