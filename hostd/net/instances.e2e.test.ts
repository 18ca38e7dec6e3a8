import { afterEach, beforeEach, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { freshInstance, Lab, testUid } from './testing/lab.ts';
import type { Probe } from './testing/probe.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await Lab.open();
});

afterEach(async () => {
  await lab.close();
});

const web: Probe = { kind: 'tcp', to: outside.publicAddress, port: 443 };

test('two instances live side by side and do not see or remove each other', async () => {
  const one = await lab.startedNetwork({ subnet: '10.83.0.0/24' });
  const other = await lab.startedNetwork({ subnet: '198.18.7.0/24' });
  const { guest: guestOfOne, slot: slotOfOne } = await lab.sandbox(one, 0, 'open');
  const { guest: guestOfOther, slot: slotOfOther } = await lab.sandbox(other, 0, 'open');
  const dns = async (network: typeof one): Promise<Probe> => {
    const { link } = await network.facts();
    return { kind: 'dns-udp', to: link.gateway, port: 53 };
  };
  const fromOne = await guestOfOne.probe([web, await dns(one), { ...web, to: slotOfOther.hostSideAddress }]);
  const fromOther = await guestOfOther.probe([web, await dns(other), { ...web, to: slotOfOne.hostSideAddress }]);
  expect(fromOne.map((result) => result.outcome)).toEqual(['ok', 'ok', 'ECONNREFUSED']);
  expect(fromOther.map((result) => result.outcome)).toEqual(['ok', 'ok', 'ECONNREFUSED']);
  await one.stop(false);
  expect(await other.existing()).toEqual([0]);
  expect((await guestOfOther.probe([web]))[0]?.outcome).toBe('ok');
});

test('a subnet that the host or another instance uses is refused with what to do', async () => {
  await lab.startedNetwork({ subnet: '10.83.0.0/16' });
  const rival = lab.network({ subnet: '10.83.4.0/24' });
  await expect(rival.start()).rejects.toMatchObject({
    code: 'network-setup-failed',
    message: expect.stringContaining('10.83.4.0/24 overlaps the route 10.83.0.0/16 of ob-') as string,
    hint: expect.stringContaining('network.subnet') as string,
  });
});

test('a changed subnet is refused while sandboxes of the old one live, and taken over after', async () => {
  const instance = freshInstance();
  const first = await lab.startedNetwork({ instance, subnet: '10.83.0.0/24' });
  await first.create(0, testUid, 'open');
  await first.stop(true);
  await first.kill();
  const second = lab.network({ instance, subnet: '10.84.0.0/24' });
  await expect(second.start()).rejects.toMatchObject({
    message: expect.stringContaining('sandboxes use it') as string,
  });
  await second.remove(0);
  await second.start();
  const { guest } = await lab.sandbox(second, 0, 'open');
  expect((await guest.probe([web]))[0]?.outcome).toBe('ok');
});

test('a slot outside the subnet is refused', async () => {
  const network = await lab.startedNetwork({ subnet: '10.83.0.0/28' });
  expect((await network.facts()).capacity).toBe(9);
  await network.create(8, testUid, 'open');
  await expect(network.create(9, testUid, 'open')).rejects.toMatchObject({ code: 'network-setup-failed' });
});

test('slots beyond what a smaller subnet holds are found and removed', async () => {
  const instance = freshInstance();
  const first = await lab.startedNetwork({ instance, subnet: '10.83.0.0/24' });
  await first.create(40, testUid, 'open');
  await first.stop(true);
  await first.kill();
  const second = lab.network({ instance, subnet: '10.83.0.0/28' });
  expect(await second.existing()).toEqual([40]);
  await second.remove(40);
  expect(await second.existing()).toEqual([]);
  await second.start();
});
