import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRequest, settle, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;
let sandboxId: string;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
  sandboxId = (await run.host.sandboxes.create(createRequest())).sandbox.id;
});
afterEach(() => world.remove());

const gone = { code: 'sandbox-gone', details: { end: { reason: 'stopped' } } };

test('what is under way when its sandbox is stopped is told that the sandbox is gone, not that hostd is', async () => {
  world.guest(sandboxId).hanging = true;
  const { files } = run.host;
  const operations = [
    files.read(sandboxId, 'x'),
    files.write(sandboxId, 'x', new PassThrough()),
    files.stat(sandboxId, 'x'),
    files.extract(sandboxId, 'x', new PassThrough()),
  ];
  const outcomes = Promise.allSettled(operations);
  await settle();
  await run.host.sandboxes.stop(sandboxId);
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: gone });
});
