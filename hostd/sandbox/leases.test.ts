import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
});
afterEach(() => world.remove());

const create = async (timeoutSeconds: number) =>
  (await run.host.sandboxes.create(createRequest({ timeoutSeconds }))).sandbox;
const state = async (id: string) => (await run.host.sandboxes.get(id)).state;

async function advance(milliseconds: number) {
  await settle();
  world.clock.advance(milliseconds);
  await settle();
}

test('a lease that is over ends its sandbox, no other', async () => {
  const short = await create(10);
  const long = await create(1000);
  await advance(9_900);
  expect(await state(short.id)).toBe('running');
  await advance(200);
  await until(async () => (await state(short.id)) === 'gone');
  expect((await run.host.sandboxes.get(short.id)).end?.reason).toBe('lease-expired');
  expect(await state(long.id)).toBe('running');
});

test('renewing counts from now, and never shortens unless told to', async () => {
  const { id } = await create(100);
  await advance(50_000);
  await run.host.sandboxes.renew(id, 100, false);
  await advance(60_000);
  expect(await state(id)).toBe('running');
  await run.host.sandboxes.renew(id, 10, false);
  await advance(15_000);
  expect(await state(id)).toBe('running');
  await run.host.sandboxes.renew(id, 5, true);
  await advance(5_001);
  await until(async () => (await state(id)) === 'gone');
});

test('a wall clock that is set back or forward neither ends nor prolongs a lease', async () => {
  const { id } = await create(100);
  world.clock.setWall(world.clock.wallMs() + 365 * 86_400_000);
  await advance(50_000);
  expect(await state(id)).toBe('running');
  const shown = Date.parse((await run.host.sandboxes.get(id)).expiresAt);
  expect(shown - world.clock.wallMs()).toBe(50_000);
  world.clock.setWall(world.clock.wallMs() - 2 * 365 * 86_400_000);
  await advance(51_000);
  await until(async () => (await state(id)) === 'gone');
  expect((await run.host.sandboxes.get(id)).usage.wallSeconds).toBeCloseTo(101, 0);
});

test('a lease goes on over a restart of hostd', async () => {
  const { id } = await create(100);
  await advance(50_000);
  await run.host.stop();
  run.store.close();
  world.clock.setWall(0);
  world.clock.advance(20_000);
  run = await world.start();
  expect(await state(id)).toBe('running');
  await advance(31_000);
  await until(async () => (await state(id)) === 'gone');
});

test('a lease that ended while hostd was away ends the sandbox before anybody is served', async () => {
  const { id } = await create(100);
  await run.host.stop();
  run.store.close();
  world.clock.advance(101_000);
  run = await world.start();
  expect((await run.host.sandboxes.get(id)).end?.reason).toBe('lease-expired');
  expect(world.machines.running).toEqual([]);
});
