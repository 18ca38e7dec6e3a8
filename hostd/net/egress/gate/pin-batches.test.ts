import { expect, test } from 'vitest';
import type { Pin } from '../dns/pin-document.ts';
import { FakePinWriter } from './fake-pin-writer.ts';
import { PinBatches } from './pin-batches.ts';

const pin = (address: string): Pin => ({ address, port: 22, transport: 'tcp', name: 'git.test' });

function batches(): { writer: FakePinWriter; sink: PinBatches } {
  const writer = new FakePinWriter();
  const known = ['sbx_one', 'sbx_two'];
  const sandboxOf = (sandboxId: string) =>
    known.includes(sandboxId)
      ? { sandboxId, sourceAddress: `10.84.0.${String(known.indexOf(sandboxId) + 2)}` }
      : undefined;
  return { writer, sink: new PinBatches(writer, sandboxOf) };
}

test('pins asked for together are one write, and each waits for it', async () => {
  const { writer, sink } = batches();
  let isOpen = false;
  writer.before = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    isOpen = true;
  };
  await Promise.all(['9.9.9.1', '9.9.9.2', '9.9.9.3'].map((address) => sink.add('sbx_one', pin(address), 60_000)));
  expect(isOpen).toBe(true);
  expect(writer.writes).toEqual([3]);
  expect([...writer.open.keys()]).toEqual(['9.9.9.1', '9.9.9.2', '9.9.9.3'].map((one) => `sbx_one tcp ${one} 22`));
});

test('an addition and the removal after it take effect in that order', async () => {
  const { writer, sink } = batches();
  await Promise.all([
    sink.add('sbx_one', pin('9.9.9.1'), 60_000),
    sink.remove('sbx_one', pin('9.9.9.1')),
    sink.add('sbx_one', pin('9.9.9.2'), 60_000),
  ]);
  expect([...writer.open.keys()]).toEqual(['sbx_one tcp 9.9.9.2 22']);
});

test('a write that fails for one sandbox is made for the others', async () => {
  const { writer, sink } = batches();
  const add = writer.add.bind(writer);
  writer.add = async (batch) => {
    if (batch.some(({ sandbox }) => sandbox.sandboxId === 'sbx_two')) throw new Error('no such set');
    await add(batch);
  };
  const [one, two] = await Promise.allSettled([
    sink.add('sbx_one', pin('9.9.9.1'), 60_000),
    sink.add('sbx_two', pin('9.9.9.1'), 60_000),
  ]);
  expect([one.status, two.status]).toEqual(['fulfilled', 'rejected']);
  expect([...writer.open.keys()]).toEqual(['sbx_one tcp 9.9.9.1 22']);
});

test('after a failure the next write goes on; a sandbox that is gone opens nothing', async () => {
  const { writer, sink } = batches();
  writer.failing = true;
  await expect(sink.add('sbx_one', pin('9.9.9.1'), 60_000)).rejects.toThrow('does not take it');
  writer.failing = false;
  await sink.add('sbx_one', pin('9.9.9.1'), 60_000);
  await expect(sink.add('sbx_gone', pin('9.9.9.1'), 60_000)).rejects.toThrow('no sandbox');
  await sink.remove('sbx_gone', pin('9.9.9.1'));
  expect(writer.open.size).toBe(1);
});
