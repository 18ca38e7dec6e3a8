import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FakeMachine } from '../guest/fake-guest.ts';
import { createRequest, execRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;
let sandboxId: string;
let machine: FakeMachine;

beforeEach(async () => {
  world = await World.create({ execGraceMs: 20_000, guestSilenceMs: 90 });
  run = await world.start();
  sandboxId = (await run.host.sandboxes.create(createRequest())).sandbox.id;
  machine = world.guest(sandboxId);
});
afterEach(() => world.remove());

/** Time passes in steps, so that whoever wakes can go back to sleep. */
async function pass(durationMs: number, stepMs = 1_000): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    await settle();
    world.clock.advance(stepMs);
  }
  await settle();
}

async function startEndless(timeoutMs: number): Promise<string> {
  machine.script = () => new Promise(() => undefined);
  return (await run.host.execs.start(sandboxId, execRequest({ argv: ['sleep'], timeoutMs }))).exec.id;
}

const state = async (execId: string) => (await run.host.execs.get(sandboxId, execId)).state;
const silent = { code: 'guest-unresponsive', details: { reason: 'timeout', timeoutMs: 90 } };

test('an exec that the guest does not end in time is ended without it', async () => {
  const execId = await startEndless(60_000);
  await pass(79_000);
  expect(await state(execId)).toBe('running');
  await pass(2_000);
  await until(async () => (await state(execId)) === 'ended');
  expect(await run.host.execs.get(sandboxId, execId)).toMatchObject({
    exitCode: null,
    timedOut: true,
    failure: { code: 'guest-unresponsive' },
  });
  expect(machine.processes.size).toBe(0);
});

test('so is one of an earlier hostd', async () => {
  const execId = await startEndless(60_000);
  world.kill(run);
  run = await world.start();
  await pass(81_000);
  await until(async () => (await state(execId)) === 'ended');
  expect(await run.host.execs.get(sandboxId, execId)).toMatchObject({ timedOut: true });
});

test('time in which its sandbox is paused does not count', async () => {
  const execId = await startEndless(60_000);
  await pass(10_000);
  await run.host.sandboxes.pause(sandboxId, 3_600);
  await pass(300_000);
  await run.host.sandboxes.resume(sandboxId);
  await pass(60_000);
  expect(await state(execId)).toBe('running');
  await pass(20_000);
  await until(async () => (await state(execId)) === 'ended');
});

test('an exec without a timeout goes on', async () => {
  machine.script = () => new Promise(() => undefined);
  const { exec } = await run.host.execs.start(sandboxId, execRequest({ argv: ['sleep'] }));
  await pass(600_000, 10_000);
  expect(await state(exec.id)).toBe('running');
});

test('every file operation on a guest that answers nothing fails', async () => {
  machine.hanging = true;
  const { files } = run.host;
  const everything = { include: [], exclude: [], sparse: false };
  const operations = [
    files.read(sandboxId, 'x'),
    files.write(sandboxId, 'x', new PassThrough()),
    files.list(sandboxId, 'x', false),
    files.stat(sandboxId, 'x'),
    files.extract(sandboxId, 'x', new PassThrough()),
    files.archive(sandboxId, 'x', everything),
  ];
  const outcomes = Promise.allSettled(operations);
  await pass(100, 10);
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: silent });
  machine.hanging = false;
  await files.write(sandboxId, 'y', Readable.from([Buffer.from('there')]));
  expect(await text(await files.read(sandboxId, 'y'))).toBe('there');
});

test('a download whose guest falls silent on the way breaks off', async () => {
  machine.files.set('/workspace/x', { content: Buffer.alloc(10), mode: 0o644, mtimeMs: 0 });
  const stream = await run.host.files.read(sandboxId, 'x');
  const failed = new Promise((resolve) => stream.once('error', resolve));
  machine.hanging = true;
  await pass(100, 10);
  expect(await failed).toMatchObject(silent);
});

test('an upload may take its time while the guest answers, or is paused', async () => {
  const content = new PassThrough();
  const writing = run.host.files.write(sandboxId, 'slow', content);
  await pass(3_000, 10);
  await run.host.sandboxes.pause(sandboxId, 3_600);
  machine.hanging = true;
  for (let round = 0; round < 30; round += 1) {
    await pass(30, 10);
    await sleep(10); // the fake guest measures the deadline of a ping by the real clock
  }
  machine.hanging = false;
  await run.host.sandboxes.resume(sandboxId);
  content.end('done');
  expect(await writing).toEqual({ sizeBytes: 4 });
});
