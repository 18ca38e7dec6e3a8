import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { LongFlow } from './egress/firewall/testing/long-flow.ts';
import { freshInstance, Lab } from './testing/lab.ts';
import type { Probe } from './testing/probe.ts';
import type { RemoteNetwork } from './testing/remote-network.ts';
import type { StandInGuest } from './testing/stand-in-guest.ts';

/** Rules by address that name the host itself. */

const instance = freshInstance();
const table = `offshoot_${instance}`;
const bridge = '10.83.0.1';
const another = '192.0.2.200';
const later = '192.0.2.201';
const config = { instance, checkSeconds: 0.3 };
const rules = [
  `${bridge}:5432`,
  `${another}:8080,9100`,
  `udp:${outside.hostAddress}:7`,
  `${outside.hostAddress}:8443`,
  '192.0.2.0/24:22',
];

let lab: Lab;
let network: RemoteNetwork;
let named: StandInGuest;
let audited: StandInGuest;
let open: StandInGuest;
const flows: LongFlow[] = [];

beforeAll(async () => {
  lab = await Lab.open();
  const { world } = lab;
  await world.run('ip', ['addr', 'add', `${another}/32`, 'dev', 'lo']);
  const drip = { port: 9100, bytes: 1_000_000, everyMs: 15 };
  // To UDP, a server on all addresses answers from the one nearest to the guest: the bridge's.
  await world.serve('host', [
    { tcpPorts: [22, 5432, 8080], udpPorts: [9], drip },
    { address: outside.hostAddress, udpPorts: [7] },
  ]);
  await lab.nft(`table ip published {
    chain prerouting { type nat hook prerouting priority dstnat; tcp dport 8443 dnat to ${outside.publicAddress}:443; }
  }
  `);
  network = lab.network(config, 'policies');
  await network.start();
  ({ guest: named } = await lab.sandbox(network, 0, 'enforce', rules));
  ({ guest: audited } = await lab.sandbox(network, 1, 'audit'));
  ({ guest: open } = await lab.sandbox(network, 2, 'open'));
});

afterEach(() => {
  for (const flow of flows.splice(0)) flow.close();
});

afterAll(async () => {
  await lab.close();
});

const tcp = (to: string, port: number): Probe => ({ kind: 'tcp', to, port });
const udp = (to: string, port: number): Probe => ({ kind: 'udp', to, port });

async function outcomes(guest: StandInGuest, probes: readonly Probe[]): Promise<string[]> {
  return (await guest.probe([...probes])).map(({ outcome }) => outcome);
}

const opened: readonly Probe[] = [
  tcp(bridge, 5432),
  tcp(another, 8080),
  tcp(outside.hostAddress, 8443),
  udp(outside.hostAddress, 7),
];
const allOk = ['ok', 'ok', 'ok', 'ok'];
const allRefused = ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED', 'EHOSTUNREACH'];

async function dripping(guest: StandInGuest): Promise<LongFlow> {
  const flow = new LongFlow(guest.netns, 'tcp', another, 9100);
  flows.push(flow);
  expect(await flow.moves()).toBeDefined();
  return flow;
}

describe('a rule for an address of the host', () => {
  test('opens it on its port to the sandbox that has it, ports that the host forwards included', async () => {
    expect(await outcomes(named, opened)).toEqual(allOk);
    const [result] = await named.probe([tcp(bridge, 5432)]);
    expect(result?.text).toBe(`hello from ${bridge} to 10.83.0.2\n`);
  });

  test('opens nothing else: other ports and addresses, networks around it, other sandboxes', async () => {
    const seenBefore = lab.world.arrivals.length;
    const closed = [
      tcp(bridge, 22),
      tcp(bridge, 8080),
      tcp(bridge, 53),
      tcp(outside.hostAddress, 5432),
      tcp(another, 5432),
      tcp(another, 22),
      tcp(outside.hostAddress, 22),
    ];
    expect(await outcomes(named, closed)).toEqual(closed.map(() => 'ECONNREFUSED'));
    expect(await outcomes(named, [udp(bridge, 9), udp(outside.hostAddress, 9)])).toEqual([
      'EHOSTUNREACH',
      'EHOSTUNREACH',
    ]);
    for (const guest of [audited, open]) expect(await outcomes(guest, opened)).toEqual(allRefused);
    expect(lab.world.arrivals.slice(seenBefore)).toEqual([]);
  });

  test('on every port leaves out those on which names are answered, and opens no other sandbox', async () => {
    await lab.world.serve({ netns: `offshoot-${instance}-0` }, [{ tcpPorts: [5432] }]);
    await network.setEgress(1, 'enforce', [`${bridge}:*`, `udp:${bridge}:*`, '10.83.0.2:5432', '10.83.0.0/24:5432']);
    const probes = [tcp(bridge, 22), udp(bridge, 9), tcp(bridge, 53), tcp(bridge, 1053), tcp('10.83.0.2', 5432)];
    const refused = ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'];
    expect(await outcomes(audited, probes)).toEqual(['ok', 'ok', ...refused]);
    expect(await outcomes(audited, [{ kind: 'dns-udp', to: bridge, port: 53 }])).toEqual(['EHOSTUNREACH']);
    await network.setEgress(1, 'audit');
    expect(await outcomes(audited, [tcp(bridge, 22)])).toEqual(['ECONNREFUSED']);
  });

  test('holds under audit and open, too', async () => {
    for (const mode of ['audit', 'open'] as const) {
      await network.setEgress(2, mode, [`${another}:8080`]);
      expect(await outcomes(open, [tcp(another, 8080), tcp(another, 22)])).toEqual(['ok', 'ECONNREFUSED']);
    }
    await network.setEgress(2, 'open');
    expect(await outcomes(open, [tcp(another, 8080)])).toEqual(['ECONNREFUSED']);
  });

  test('that goes cuts what it opened within a second, to whatever mode; a rule that stays cuts nothing', async () => {
    for (const [mode, allow] of [
      ['enforce', rules.filter((rule) => !rule.startsWith(another))],
      ['audit', []],
      ['open', []],
      ['none', []],
    ] as const) {
      const flow = await dripping(named);
      await network.setEgress(0, 'enforce', [`${another}:9100`]);
      expect(await flow.moves()).toBeDefined();
      const startedMs = performance.now();
      await network.setEgress(0, mode, allow);
      if (mode === 'open' || mode === 'none') {
        // The guest only reads: that nothing more comes is all it sees.
        expect(await flow.stops()).toBeLessThan(1000);
      } else {
        expect(await flow.ends(1000)).toBeDefined();
        expect(performance.now() - startedMs).toBeLessThan(1000);
      }
      expect(await outcomes(named, [tcp(another, 8080)])).toEqual(['ECONNREFUSED']);
      await network.setEgress(0, 'enforce', rules);
    }
    expect(await outcomes(named, opened)).toEqual(allOk);
  });
});

test('the next sandbox of a slot has nothing of the one before', async () => {
  const { guest } = await lab.sandbox(network, 3, 'enforce', rules);
  expect(await outcomes(guest, opened)).toEqual(allOk);
  await guest.unplug();
  await network.remove(3);
  expect((await lab.world.run('nft', ['list', 'table', 'inet', table])).stdout).not.toContain('10.83.0.5 .');
  const { guest: next } = await lab.sandbox(network, 3, 'open');
  expect(await outcomes(next, opened)).toEqual(allRefused);
});

test('an address that the host gets is open to a rule that names it, and one that it loses is its rule’s no more', async () => {
  await network.setEgress(0, 'enforce', [...rules, `${later}:8080`]);
  await lab.world.run('ip', ['addr', 'add', `${later}/32`, 'dev', 'lo']);
  await expect.poll(() => outcomes(named, [tcp(later, 8080)]), { timeout: 10_000 }).toEqual(['ok']);
  expect(await outcomes(open, [tcp(later, 8080)])).toEqual(['ECONNREFUSED']);
  await lab.world.run('ip', ['addr', 'del', `${later}/32`, 'dev', 'lo']);
  const list = async () => (await lab.world.run('nft', ['list', 'table', 'inet', table])).stdout;
  await expect.poll(list, { timeout: 10_000 }).not.toContain(later);
  await network.setEgress(0, 'enforce', rules);
});

test.each(['delete', 'flush'])(
  'when others %s the host’s rules, what is made anew is open to the same sandbox alone',
  async (verb) => {
    const flow = await dripping(named);
    await lab.nft(`${verb} table inet ${table}\n`);
    const stands = () =>
      lab.world.run('nft', ['list', 'table', 'inet', table]).then(
        ({ stdout }) =>
          stdout.includes(`10.83.0.2 . ${another} . tcp . 8080`) && stdout.includes('fib daddr type local'),
        () => false,
      );
    await expect.poll(stands, { timeout: 10_000 }).toBe(true);
    expect(await flow.moves()).toBeDefined();
    expect(await outcomes(named, opened)).toEqual(allOk);
    for (const guest of [audited, open]) expect(await outcomes(guest, opened)).toEqual(allRefused);
  },
);

test('while hostd restarts it stays open, connections go on, and at no moment it is open to others', async () => {
  const flow = await dripping(named);
  let isDone = false;
  const trying = (async () => {
    const seen: string[] = [];
    while (!isDone) {
      for (const guest of [audited, open]) seen.push(...(await outcomes(guest, opened)));
    }
    return seen;
  })();
  await network.kill();
  network = lab.network(config, 'policies');
  await network.start([
    { slot: 0, policy: { mode: 'enforce', allow: rules } },
    { slot: 1, policy: { mode: 'audit', allow: [] } },
    { slot: 2, policy: { mode: 'open', allow: [] } },
  ]);
  isDone = true;
  expect(new Set(await trying)).toEqual(new Set(['ECONNREFUSED', 'EHOSTUNREACH']));
  expect(flow.ended).toBeUndefined();
  expect(await flow.moves()).toBeDefined();
  expect(await outcomes(named, opened)).toEqual(allOk);
  await network.remove(3);
});

test('a sandbox that hostd does not know when it starts has nothing of the host any more', async () => {
  await network.kill();
  network = lab.network(config, 'policies');
  await network.start();
  expect(await outcomes(named, opened)).toEqual(allRefused);
});
