import { setTimeout as sleep } from 'node:timers/promises';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { freshInstance, Lab, testUid } from './testing/lab.ts';
import type { Probe } from './testing/probe.ts';
import { StandInGuest } from './testing/stand-in-guest.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await Lab.open();
});

afterEach(async () => {
  await lab.close();
});

const web: Probe = { kind: 'tcp', to: outside.publicAddress, port: 443 };
const twenty = Array.from({ length: 20 }, (_, index) => index);

test('twenty slots made and removed at once leave nothing, nor does stop', async () => {
  const instance = freshInstance();
  const before = await lab.hostPicture();
  const network = await lab.startedNetwork({ instance });
  await Promise.all(twenty.map((slot) => network.create(slot, testUid, 'open')));
  expect(await network.existing()).toEqual(twenty);
  await Promise.all(twenty.slice(0, 10).map((slot) => network.remove(slot)));
  expect(await network.existing()).toEqual(twenty.slice(10));
  expect(await lab.netnsOf(instance)).toHaveLength(10);
  await network.stop(false);
  expect(await lab.netnsOf(instance)).toEqual([]);
  expect(await lab.hostPicture()).toBe(before);
});

test('a slot is gone when remove resolves, can be removed again and made anew', async () => {
  const instance = freshInstance();
  const network = await lab.startedNetwork({ instance });
  const before = await lab.hostPicture();
  await network.create(4, testUid, 'none');
  await network.remove(4);
  expect(await lab.netnsOf(instance)).toEqual([]);
  expect(await lab.hostPicture()).toBe(before);
  await network.remove(4);
  await lab.sandbox(network, 4, 'open');
  // The policy and owner of the second making hold, not those of the first.
  await network.create(4, testUid + 1, 'none');
  const { link } = await network.facts();
  const slot = {
    slot: 4,
    netnsName: '',
    netnsPath: `/run/netns/offshoot-${instance}-4`,
    tapName: 'tap0',
    hostSideAddress: '',
  };
  await expect(StandInGuest.plugIn(slot, link, testUid)).rejects.toThrow(/tap0: Operation not permitted/);
  const guest = await StandInGuest.plugIn(slot, link, testUid + 1);
  const [result] = await guest.probe([web]);
  await guest.unplug();
  expect(result?.outcome).toBe('ECONNREFUSED');
});

test('half-made slots of a crash are found, removed, and no obstacle to making them', async () => {
  const instance = freshInstance();
  const network = await lab.startedNetwork({ instance });
  const clean = await lab.hostPicture();
  const netns = (slot: number): string => `offshoot-${instance}-${String(slot)}`;
  const veth = (slot: number): string => `ov-${instance}-${String(slot)}`;
  const makeHalves = async (): Promise<void> => {
    await lab.world.run('ip', ['netns', 'add', netns(0)]);
    await lab.world.run('ip', ['link', 'add', veth(1), 'type', 'veth', 'peer', 'name', 'lost1']);
    await writeFile(`/run/netns/${netns(2)}`, '');
    await lab.world.run('ip', ['netns', 'add', netns(3)]);
    await lab.world.run('ip', ['link', 'add', veth(3), 'type', 'veth', 'peer', 'name', 'up0', 'netns', netns(3)]);
  };
  await makeHalves();
  expect(await network.existing()).toEqual([0, 1, 2, 3]);
  await Promise.all([0, 1, 2, 3].map((slot) => network.remove(slot)));
  expect(await network.existing()).toEqual([]);
  expect(await lab.hostPicture()).toBe(clean);

  await makeHalves();
  for (const slot of [0, 1, 2, 3]) {
    const { guest } = await lab.sandbox(network, slot, 'open');
    expect((await guest.probe([web]))[0]?.outcome).toBe('ok');
  }
});

test('killed at any moment of twenty creates, the next hostd finds and removes all of it', async () => {
  const instance = freshInstance();
  const before = await lab.hostPicture();
  for (const delayMs of [5, 60, 150]) {
    const network = await lab.startedNetwork({ instance });
    const creates = twenty.map((slot) => network.create(slot, testUid, 'open').catch(() => undefined));
    await sleep(delayMs);
    await network.kill();
    await Promise.all(creates);
    await network.programsEnded();
  }
  const next = await lab.startedNetwork({ instance });
  await next.stop(false);
  expect(await lab.netnsOf(instance)).toEqual([]);
  expect(await lab.hostPicture()).toBe(before);
});

test('a connection of a sandbox and its DNS outlive hostd', async () => {
  const instance = freshInstance();
  const first = await lab.startedNetwork({ instance });
  const { guest } = await lab.sandbox(first, 0, 'open');
  const { link } = await first.facts();
  await lab.world.serve('internet', [{ drip: { port: 9001, bytes: 40, everyMs: 100 } }]);
  const download = guest.probe([{ kind: 'tcp', to: outside.publicAddress, port: 9001, timeoutMs: 25_000 }]);
  await expect.poll(() => lab.world.arrivals.some(({ port }) => port === 9001), { timeout: 10_000 }).toBe(true);
  await first.stop(true);
  await first.kill();
  expect((await guest.probe([web]))[0]?.outcome).toBe('ok');
  const second = await lab.startedNetwork({ instance });
  const dns = await guest.probe([{ kind: 'dns-udp', to: link.gateway, port: 53 }]);
  expect(dns[0]?.text).toBe('0/1');
  expect((await download)[0]).toMatchObject({ outcome: 'ok', bytes: 40 });
  expect(await second.existing()).toEqual([0]);
});

test('a deleted bridge is made again by the next start, with the sandboxes on it', async () => {
  const instance = freshInstance();
  const network = await lab.startedNetwork({ instance });
  const { guest } = await lab.sandbox(network, 0, 'open');
  await lab.world.run('ip', ['link', 'del', 'dev', `ob-${instance}`]);
  expect((await guest.probe([{ ...web, timeoutMs: 600 }]))[0]?.outcome).not.toBe('ok');
  await network.start();
  const { link } = await network.facts();
  const results = await guest.probe([web, { kind: 'dns-tcp', to: link.gateway, port: 53 }]);
  expect(results.map((result) => result.outcome)).toEqual(['ok', 'ok']);
  const { stdout } = await lab.world.run('ip', ['-d', 'link', 'show', 'dev', `ov-${instance}-0`]);
  expect(stdout).toContain('isolated on');
});

test('the next sandbox of a slot is where the host and its neighbours look for it', async () => {
  const network = await lab.startedNetwork();
  await lab.sandbox(network, 0, 'open');
  for (let round = 0; round < 2; round += 1) {
    const { guest } = await lab.sandbox(network, 4, 'open');
    expect((await guest.probe([web])).map((result) => result.outcome)).toEqual(['ok']);
    await guest.unplug();
    await network.remove(4);
  }
});

test('another start leaves the neighbours of the bridge known, and gives the bridge back its MAC when it lost that', async () => {
  const instance = freshInstance();
  const bridge = `ob-${instance}`;
  const network = await lab.startedNetwork({ instance });
  const { guest } = await lab.sandbox(network, 4, 'open');
  await guest.probe([web]);
  const macOfBridge = async () => (await lab.world.run('ip', ['-br', 'link', 'show', 'dev', bridge])).stdout;
  const neighbours = async () =>
    (await lab.world.run('ip', ['neigh', 'show', 'dev', bridge])).stdout.match(/^\S+ lladdr \S+/gm);
  const [mac, known] = [await macOfBridge(), await neighbours()];
  expect(known).toHaveLength(1);
  await network.start();
  expect(await neighbours()).toEqual(known);
  await lab.world.run('ip', ['link', 'set', 'dev', bridge, 'address', '02:00:00:00:00:99']);
  expect((await guest.probe([{ ...web, timeoutMs: 600 }]))[0]?.outcome).not.toBe('ok');
  await network.start();
  expect(await macOfBridge()).toBe(mac);
  expect((await guest.probe([web]))[0]?.outcome).toBe('ok');
});

test('forwarding that was off is turned on, and said', async () => {
  const read = async (): Promise<string> =>
    (await lab.world.run('cat', ['/proc/sys/net/ipv4/ip_forward'])).stdout.trim();
  await lab.world.run('sh', ['-c', 'echo 0 > /proc/sys/net/ipv4/ip_forward']);
  const network = await lab.startedNetwork();
  expect(await read()).toBe('1');
  expect((await network.facts()).findings).toEqual([expect.stringContaining('net.ipv4.ip_forward')]);
  const next = await lab.startedNetwork({ subnet: '10.99.0.0/24' });
  expect((await next.facts()).findings).toEqual([]);
});

test('the guest’s MTU is that of the uplink, and TCP fits a narrower route further on', async () => {
  const network = await lab.startedNetwork();
  const { guest } = await lab.sandbox(network, 0, 'open');
  expect((await network.facts()).link.mtu).toBe(1400);
  const narrow = ['route', 'add', outside.publicAddress, 'via', outside.gateway, 'mtu', '1200'];
  await lab.world.run('ip', narrow);
  const watch = `table ip watch {
    counter fitting { }
    counter others { }
    chain seen {
      type filter hook input priority filter;
      tcp flags syn tcp option maxseg size 1160 counter name fitting
      tcp flags syn tcp option maxseg size != 1160 counter name others
    }
  }
  `;
  await lab.world.run('nsenter', [`--net=/run/netns/${lab.world.internetNetns}`, '--', 'nft', watch]);
  const [result] = await guest.probe([{ ...web, port: 9000, timeoutMs: 10_000 }]);
  expect(result).toMatchObject({ outcome: 'ok', bytes: 4 * 1024 * 1024 });
  const list = [`--net=/run/netns/${lab.world.internetNetns}`, '--', 'nft', 'list', 'table', 'ip', 'watch'];
  const { stdout } = await lab.world.run('nsenter', list);
  // One that is long on its way is sent again.
  expect(stdout).toMatch(/counter fitting \{\s+packets [1-9]/);
  expect(stdout).toMatch(/counter others \{\s+packets 0 /);
});

test('one sandbox may only have so many flows open', async () => {
  const network = await lab.startedNetwork({ maxFlowsPerSandbox: 16 });
  const { guest } = await lab.sandbox(network, 0, 'open');
  // Each lasts long enough for all to be begun.
  await lab.world.serve('internet', [{ drip: { port: 9001, bytes: 20, everyMs: 100 } }]);
  const results = await guest.probe(
    Array.from({ length: 40 }, (): Probe => ({ ...web, port: 9001, timeoutMs: 10_000 })),
  );
  const opened = results.filter((result) => result.outcome === 'ok').length;
  expect(opened).toBeGreaterThanOrEqual(16);
  expect(results.filter((result) => result.outcome === 'ECONNREFUSED').length).toBe(40 - opened);
  expect(opened).toBeLessThan(40);
});
