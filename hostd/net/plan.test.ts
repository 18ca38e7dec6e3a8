import { expect, test } from 'vitest';
import { networkConfigSchema } from './config.ts';
import { instanceOf, planNetwork, planSlot, slotOfName } from './plan.ts';

const plan = (settings: object) => {
  const config = networkConfigSchema.parse(settings);
  const network = planNetwork(config, 1400);
  return { network, slot: (number: number) => planSlot(network, config.subnet.base, number) };
};

test('names and addresses follow from the configuration', () => {
  const { network, slot } = plan({});
  expect(network).toMatchObject({
    bridgeName: 'ob-main',
    bridgeAddress: '10.83.0.1',
    subnet: '10.83.0.0/16',
    capacity: 1000,
    link: { address: '10.83.255.254', gateway: '10.83.255.253', prefixLength: 30, mtu: 1400 },
  });
  expect(slot(300)).toEqual({
    slot: 300,
    netnsName: 'offshoot-main-300',
    netnsPath: '/run/netns/offshoot-main-300',
    tapName: 'tap0',
    hostSideAddress: '10.83.1.46',
    vethName: 'ov-main-300',
    uplinkMac: '02:6f:68:00:01:2c',
  });
});

test('no interface name exceeds what the kernel takes', () => {
  const { network, slot } = plan({ instance: 'abcdef' });
  const last = slot(network.capacity - 1);
  for (const name of [network.bridgeName, last.vethName, last.tapName]) expect(name.length).toBeLessThanOrEqual(15);
});

test('a small subnet holds fewer sandboxes, none of which gets an address that is taken', () => {
  const { network, slot } = plan({ subnet: '192.168.7.16/28' });
  expect(network.capacity).toBe(9);
  expect(network.bridgeAddress).toBe('192.168.7.17');
  expect(slot(0).hostSideAddress).toBe('192.168.7.18');
  expect(slot(8).hostSideAddress).toBe('192.168.7.26');
  expect(network.link.gateway).toBe('192.168.7.29');
});

test.for([-1, 9, 1.5, Number.NaN])('there is no slot %d', (number) => {
  expect(() => plan({ subnet: '192.168.7.16/28' }).slot(number)).toThrow(/has no slot/);
});

test('only names of this instance are taken for slots', () => {
  expect(slotOfName('ov-main-', 'ov-main-7')).toBe(7);
  for (const name of [
    'ov-main-',
    'ov-main-07',
    'ov-main-7x',
    'ov-mai-7',
    'ov-main-123456',
    'ov-main--1',
    'xov-main-1',
  ]) {
    expect(slotOfName('ov-main-', name)).toBeUndefined();
  }
});

test('state directories get instance names of their own, always the same and always valid', () => {
  const names = Array.from({ length: 200 }, (_, index) => instanceOf(`/var/lib/offshoot${String(index)}`));
  expect(new Set(names).size).toBe(200);
  expect(instanceOf('/var/lib/offshoot0')).toBe(names[0]);
  for (const instance of names) expect(networkConfigSchema.safeParse({ instance }).success).toBe(true);
});

test('instances have bridges with MACs of their own', () => {
  expect(plan({ instance: 'a' }).network.bridgeMac).not.toBe(plan({ instance: 'b' }).network.bridgeMac);
  expect(plan({ instance: 'a' }).network.bridgeMac).toMatch(/^02(:[0-9a-f]{2}){5}$/);
});
