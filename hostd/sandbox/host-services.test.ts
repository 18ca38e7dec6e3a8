import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OffshootEvent } from '../contract/event.ts';
import { hostSchema } from '../contract/host.ts';
import { sandboxSchema } from '../contract/sandbox.ts';
import { createRequest, execRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;
const never = new AbortController().signal;

beforeEach(async () => {
  world = await World.create({
    maxTransfersPerSandbox: 2,
    maxTombstones: 2,
    maxTombstoneBytes: 1000,
    tombstoneHours: 1,
  });
  run = await world.start();
});
afterEach(() => world.remove());

const create = async (input = {}) => (await run.host.sandboxes.create(createRequest(input))).sandbox;

async function eventTypes(options: { afterId?: number; sandboxId?: string } = {}): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of run.host.events.stream({ ...options, follow: false, signal: never })) types.push(type);
  return types;
}

describe('events', () => {
  test('the life of a sandbox, in order', async () => {
    const { id } = await create();
    const { exec } = await run.host.execs.start(id, execRequest({ argv: ['true'] }));
    await until(async () => (await run.host.execs.get(id, exec.id)).state === 'ended');
    await run.host.sandboxes.renew(id, 9000, false);
    await run.host.sandboxes.stop(id);
    expect(await eventTypes({ sandboxId: id })).toEqual([
      'sandbox.creating',
      'sandbox.running',
      'exec.started',
      'exec.ended',
      'sandbox.renewed',
      'sandbox.stopping',
      'sandbox.gone',
    ]);
    expect(await eventTypes()).toEqual(expect.arrayContaining(['host.started', 'template.made']));
  });

  test('a follower continues after an id, live, and ends when it leaves', async () => {
    const before = run.host.events.latestId();
    const leaving = new AbortController();
    const seen: OffshootEvent[] = [];
    const following = (async () => {
      const options = { afterId: before, follow: true, signal: leaving.signal };
      for await (const event of run.host.events.stream(options)) seen.push(event);
    })();
    const { id } = await create();
    await until(() => seen.some(({ type, sandboxId }) => type === 'sandbox.running' && sandboxId === id));
    expect(seen.map((event) => event.id)).toEqual(seen.map((_, index) => before + 1 + index));
    leaving.abort();
    await following;
  });

  test('a host short of memory says so once', async () => {
    world.resources.reading.memoryPressurePercent = 90;
    for (let round = 0; round < 3; round += 1) {
      await settle();
      world.clock.advance(5000);
      await settle();
    }
    expect((await eventTypes()).filter((type) => type === 'host.pressure')).toHaveLength(1);
  });
});

describe('files', () => {
  test('paths without a leading slash start at the workspace', async () => {
    const { id } = await create();
    await run.host.files.write(id, 'a/b.txt', Readable.from([Buffer.from('hello')]), 0o600);
    expect(world.guest(id).files.get('/workspace/a/b.txt')).toMatchObject({ mode: 0o600 });
    expect(await text(await run.host.files.read(id, '/workspace/a/b.txt'))).toBe('hello');
    expect(await run.host.files.stat(id, 'a/b.txt')).toMatchObject({ type: 'file', sizeBytes: 5 });
    expect(await run.host.files.list(id, 'a', false)).toMatchObject([{ name: 'b.txt' }]);
    const archive = await run.host.files.archive(id, 'a', { include: [], exclude: [], sparse: false });
    expect(await run.host.files.extract(id, 'copy', archive)).toMatchObject({ entries: 1 });
    expect(world.guest(id).files.has('/workspace/copy/b.txt')).toBe(true);
  });

  test('a bounded number of transfers at once; each frees its place when it ends', async () => {
    const { id } = await create();
    const open = [new PassThrough(), new PassThrough()];
    const writing = open.map((stream, index) => run.host.files.write(id, `f${String(index)}`, stream));
    await expect(run.host.files.stat(id, '/x')).rejects.toMatchObject({ code: 'too-many-streams' });
    for (const stream of open) stream.end();
    await Promise.all(writing);
    const stream = await run.host.files.read(id, 'f0');
    const other = await run.host.files.read(id, 'f1');
    await expect(run.host.files.read(id, 'f1')).rejects.toMatchObject({ code: 'too-many-streams' });
    stream.destroy();
    other.destroy();
    await settle();
    await expect(run.host.files.stat(id, 'none')).rejects.toMatchObject({ code: 'guest-file-not-found' });
  });
});

describe('tombstones', () => {
  async function endedSandbox(bytes: number): Promise<string> {
    const { id } = await create();
    world.guest(id).script = async (control) => {
      await control.stdout(Buffer.alloc(bytes, 'x'));
      return {};
    };
    const { exec } = await run.host.execs.start(id, execRequest({ argv: ['x'] }));
    await until(async () => (await run.host.execs.get(id, exec.id)).state === 'ended');
    await run.host.sandboxes.stop(id);
    world.clock.advance(1000);
    return id;
  }

  async function sweep(milliseconds = 30_000) {
    await settle();
    world.clock.advance(milliseconds);
    await until(async () => {
      await settle();
      return true;
    });
  }

  const kept = async () => (await run.host.sandboxes.list({ all: true, labels: {} })).map(({ id }) => id);
  const folder = (id: string) => join(world.stateDirectory, 'sandboxes', id);

  test('beyond the number the oldest go, with their outputs', async () => {
    const ids = [await endedSandbox(10), await endedSandbox(10), await endedSandbox(10)];
    await sweep();
    await until(async () => (await kept()).length === 2);
    expect(await kept()).toEqual([ids[2], ids[1]]);
    await expect(access(folder(ids[0] ?? ''))).rejects.toThrow();
    await access(folder(ids[1] ?? ''));
    await expect(run.host.sandboxes.get(ids[0] ?? '')).rejects.toMatchObject({ code: 'sandbox-not-found' });
  });

  test('beyond the bytes, and after their time', async () => {
    const [, second] = [await endedSandbox(900), await endedSandbox(900)];
    await sweep();
    await until(async () => (await kept()).length === 1);
    expect(await kept()).toEqual([second]);
    await sweep(3_600_000);
    await until(async () => (await kept()).length === 0);
  });

  test('usage is counted until the end', async () => {
    const { id } = await create();
    world.vm(id).usageNow = { cpuSeconds: 3, peakMemoryMiB: 200, residentMiB: 150 };
    await settle();
    world.clock.advance(5000);
    await until(async () => (await run.host.sandboxes.get(id)).usage.cpuSeconds === 3);
    world.vm(id).usageNow = { cpuSeconds: 4, peakMemoryMiB: 120, residentMiB: 100 };
    const ended = await run.host.sandboxes.stop(id);
    expect(ended.usage).toEqual({ wallSeconds: 5, cpuSeconds: 4, peakMemoryMiB: 200 });
  });
});

describe('the host', () => {
  test('tells what it has and what is taken', async () => {
    await create();
    const info = hostSchema.parse(await run.host.info());
    expect(info.capacity).toMatchObject({ sandboxes: 1, queued: 0, memoryCommittedMiB: 140 });
  });

  test('memory really taken counts for the next one', async () => {
    const { id } = await create();
    world.vm(id).usageNow = { cpuSeconds: 1, peakMemoryMiB: 400, residentMiB: 400 };
    await settle();
    world.clock.advance(5000);
    await until(async () => (await run.host.info()).capacity.memoryCommittedMiB === 440);
  });

  test('metrics count over restarts', async () => {
    const { id } = await create();
    await run.host.sandboxes.stop(id);
    await create();
    run.store.counters.add('egress_denied.dns-name.blocked', 3);
    await run.host.stop();
    run.store.close();
    run = await world.start();
    const metrics = new Map((await run.host.metrics()).map((metric) => [metric.name, metric.values]));
    expect(metrics.get('offshoot_sandboxes_created_total')).toEqual([{ value: 2 }]);
    expect(metrics.get('offshoot_sandboxes_ended_total')).toEqual([{ labels: { reason: 'stopped' }, value: 1 }]);
    expect(metrics.get('offshoot_egress_denied_total')).toEqual([
      { labels: { reason: 'dns-name', outcome: 'blocked' }, value: 3 },
    ]);
    expect(metrics.get('offshoot_sandboxes')).toContainEqual({ labels: { state: 'running' }, value: 1 });
  });

  test('what it shows of a sandbox fits the contract in every state', async () => {
    const { id } = await create({ labels: { a: 'b' } });
    sandboxSchema.parse(await run.host.sandboxes.get(id));
    sandboxSchema.parse(await run.host.sandboxes.stop(id));
  });

  test('memory below what the image needs, and more than the host has', async () => {
    await expect(create({ memoryMiB: 32 })).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(create({ memoryMiB: 100_000 })).rejects.toMatchObject({ code: 'capacity-impossible' });
    await expect(create({ cpus: 64 })).rejects.toMatchObject({ code: 'capacity-impossible' });
    await expect(create({ image: 'none' })).rejects.toMatchObject({ code: 'image-not-found' });
    expect(world.network.slots.size).toBe(0);
  });
});
