import { expect, test } from 'vitest';
import { FakeNetwork } from './fake-network.ts';
import type { SlotEgress } from './network.ts';

const open: SlotEgress = { policy: { mode: 'open', rules: [] } };
const none: SlotEgress = { policy: { mode: 'none', rules: [] } };
const nobody = { living: [], onHelperEvent: () => undefined };

test('slots come and go, and every call is remembered', async () => {
  const network = new FakeNetwork();
  await network.start(nobody);
  await network.create(3, 1000, open);
  await network.create(1, 1001, none);
  expect(await network.existing()).toEqual([1, 3]);
  await network.setEgress(3, none);
  expect(network.slots.get(3)?.egress).toBe(none);
  await network.remove(3);
  await network.remove(3);
  await expect(network.setEgress(3, open)).rejects.toMatchObject({ code: 'network-setup-failed' });
  expect([...network.slots]).toEqual([[1, { uid: 1001, egress: none, halfMade: false }]]);
  await network.stop(false);
  expect(network.slots.size).toBe(0);
  expect(network.calls).toEqual([
    'start',
    'create 3',
    'create 1',
    'existing',
    'set 3',
    'remove 3',
    'remove 3',
    'set 3',
    'stop',
  ]);
});

test('a fault hits the named slot once and can leave it half made', async () => {
  const network = new FakeNetwork();
  await network.start(nobody);
  network.failNext('create', { slot: 2, leavesHalf: true });
  await network.create(1, 1000, open);
  await expect(network.create(2, 1000, open)).rejects.toMatchObject({ code: 'network-setup-failed' });
  expect(network.slots.get(2)?.halfMade).toBe(true);
  await network.create(2, 1000, open);
  expect(network.slots.get(2)?.halfMade).toBe(false);
});

test('an operation can be held', async () => {
  const network = new FakeNetwork();
  const release = network.hold('start');
  const starting = network.start(nobody);
  await Promise.resolve();
  expect(network.started).toBe(false);
  release();
  await starting;
  expect(network.started).toBe(true);
});

test('a create before start fails, as in the real one', async () => {
  await expect(new FakeNetwork().create(0, 1000, open)).rejects.toMatchObject({ code: 'network-setup-failed' });
});
