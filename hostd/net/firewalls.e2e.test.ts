import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { Lab } from './testing/lab.ts';
import type { Probe } from './testing/probe.ts';
import type { RemoteNetwork } from './testing/remote-network.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await Lab.open();
});

afterEach(async () => {
  await lab.close();
});

/** A chain as Docker leaves it, and hosts that let nothing in, through or out that is not named. */
const dropsAll = `table ip filter {
  chain DOCKER-USER { counter return; }
  chain FORWARD { type filter hook forward priority filter; policy drop; counter jump DOCKER-USER; }
  chain INPUT { type filter hook input priority filter; policy drop; iifname "lo" accept; }
  chain OUTPUT { type filter hook output priority filter; policy drop; oifname "lo" accept; oifname "eth0" accept; }
}
table ip incoming {
  chain answers { type filter hook input priority -10; policy accept; }
}
`;

/** firewalld denies by its last rules. */
const deniesLast = `table inet firewalld {
  chain filter_FORWARD { type filter hook forward priority filter + 10; policy accept; ct state established,related accept; reject with icmpx admin-prohibited; }
  chain filter_INPUT { type filter hook input priority filter + 10; policy accept; ct state established,related accept; iifname "lo" accept; reject with icmpx admin-prohibited; }
}
`;

async function reaches(network: RemoteNetwork, slot = 0): Promise<Record<string, string | undefined>> {
  const { guest } = await lab.sandbox(network, slot, 'open');
  const { link } = await network.facts();
  const probes: Probe[] = [
    { kind: 'tcp', to: outside.publicAddress, port: 443 },
    { kind: 'dns-udp', to: link.gateway, port: 53 },
    { kind: 'dns-tcp', to: link.gateway, port: 53 },
    { kind: 'tcp', to: outside.hostAddress, port: 22 },
  ];
  const [web, dnsUdp, dnsTcp, host] = await guest.probe(probes);
  return { web: web?.outcome, dnsUdp: dnsUdp?.text, dnsTcp: dnsTcp?.text, host: host?.outcome };
}

const allOpen = { web: 'ok', dnsUdp: '0/1', dnsTcp: '0/1', host: 'ECONNREFUSED' };

/** Replies to the host itself, which its own INPUT chain would drop. */
const letHostResolve = 'insert rule ip filter INPUT iifname "eth0" counter accept\n';

test('sandboxes work beside chains that drop what they do not know, and stop takes its rules out again', async () => {
  await lab.nft(dropsAll);
  await lab.nft(letHostResolve);
  const before = await lab.hostPicture();
  const network = await lab.startedNetwork();
  expect(await reaches(network)).toEqual(allOpen);
  const { stdout } = await lab.world.run('nft', ['list', 'chain', 'ip', 'filter', 'DOCKER-USER']);
  expect(stdout.match(/comment "offshoot:/g)).toHaveLength(2);
  await network.stop(false);
  expect(await lab.hostPicture()).toBe(before);
});

test('sandboxes work beside chains whose last rule denies', async () => {
  await lab.nft(deniesLast);
  const before = await lab.hostPicture();
  const network = await lab.startedNetwork();
  expect(await reaches(network)).toEqual(allOpen);
  await network.stop(false);
  expect(await lab.hostPicture()).toBe(before);
});

test('a firewall that comes or is loaded again later is opened by the next start, once', async () => {
  const network = await lab.startedNetwork();
  await lab.nft(dropsAll);
  await lab.nft(letHostResolve);
  await network.start();
  await lab.nft('insert rule ip filter FORWARD iifname "eth9" drop\n');
  await network.start();
  await network.start();
  expect(await reaches(network)).toEqual(allOpen);
  expect(await passagesInPlace()).toBe(4 + 4 + 2 + 2);
});

test('chains that let everything through are left alone', async () => {
  const accepting = `table ip filter {
    chain FORWARD { type filter hook forward priority filter; policy accept; iifname "eth7" drop; }
  }
  `;
  await lab.nft(accepting);
  const before = await lab.world.run('nft', ['list', 'table', 'ip', 'filter']);
  await lab.startedNetwork();
  expect(await lab.world.run('nft', ['list', 'table', 'ip', 'filter'])).toEqual(before);
});

test('flushed rules of the host come back with the next start', async () => {
  const network = await lab.startedNetwork();
  await lab.world.run('nft', ['flush', 'ruleset']);
  await network.start();
  expect(await reaches(network)).toEqual(allOpen);
});

test('what others flush is mended without anyone asking, until the network is stopped', async () => {
  const network = await lab.startedNetwork({ checkSeconds: 0.3 });
  await lab.nft(dropsAll);
  await lab.nft(letHostResolve);
  await lab.world.run('nft', ['delete', 'table', 'inet', await ownTable()]);
  await expect.poll(ownTable, { timeout: 10_000 }).not.toBe('');
  await expect.poll(passagesInPlace, { timeout: 10_000 }).toBe(12);
  expect(await reaches(network)).toEqual(allOpen);
  await network.stop(false);
  await sleep(1000);
  expect(await ownTable()).toBe('');
  expect(await passagesInPlace()).toBe(0);
});

async function ownTable(): Promise<string> {
  const { stdout } = await lab.world.run('nft', ['list', 'tables']);
  return /offshoot_\w+/.exec(stdout)?.[0] ?? '';
}

async function passagesInPlace(): Promise<number> {
  const { stdout } = await lab.world.run('nft', ['list', 'ruleset']);
  return stdout.match(/comment "offshoot:\w+ (out|back|dns)/g)?.length ?? 0;
}

test('forwarding is on for the bridge where new interfaces get none', async () => {
  const settings = 'cd /proc/sys/net/ipv4/conf; echo 1 > all/forwarding; echo 0 > default/forwarding';
  await lab.world.run('sh', ['-c', settings]);
  expect(await reaches(await lab.startedNetwork())).toEqual(allOpen);
});

test.for(['0', '1'])('bridged frames that pass iptables or do not (%s) make no difference', async (value, { skip }) => {
  const setting = '/proc/sys/net/bridge/bridge-nf-call-iptables';
  skip(!(await exists(setting)), 'this kernel has no br_netfilter loaded');
  await lab.world.run('sh', ['-c', `echo ${value} > ${setting}`]);
  expect(await reaches(await lab.startedNetwork())).toEqual(allOpen);
});

test.skipIf(!(await isInstalled('iptables-nft')))(
  'iptables still reads and changes its table with our rules in it',
  async () => {
    for (const chain of ['FORWARD', 'INPUT']) await lab.world.run('iptables-nft', ['-P', chain, 'DROP']);
    await lab.world.run('iptables-nft', ['-A', 'INPUT', '-i', 'eth0', '-j', 'ACCEPT']);
    const network = await lab.startedNetwork();
    expect(await reaches(network)).toEqual(allOpen);
    await lab.world.run('iptables-nft', ['-I', 'FORWARD', '-i', 'eth7', '-j', 'DROP']);
    const { stdout } = await lab.world.run('iptables-nft', ['-S']);
    expect(stdout).toMatch(/-A INPUT -d 10\.83\.0\.1\/32 -i ob-\w+ -p udp -m udp --dport 53 .*-j ACCEPT/);
    await network.stop(false);
    expect((await lab.world.run('iptables-nft', ['-S'])).stdout).not.toContain('ob-');
  },
);

test.skipIf(!(await isInstalled('iptables-legacy')))(
  'legacy iptables chains that drop are opened and closed again',
  async () => {
    for (const chain of ['FORWARD', 'INPUT']) await lab.world.run('iptables-legacy', ['-P', chain, 'DROP']);
    await lab.world.run('iptables-legacy', ['-A', 'INPUT', '-i', 'eth0', '-j', 'ACCEPT']);
    const before = await lab.world.run('iptables-legacy', ['-S']);
    const network = await lab.startedNetwork();
    await network.start();
    expect(await reaches(network)).toEqual(allOpen);
    const { stdout } = await lab.world.run('iptables-legacy', ['-S']);
    expect(stdout.match(/--comment "?offshoot:/g)).toHaveLength(6);
    await network.stop(false);
    expect(await lab.world.run('iptables-legacy', ['-S'])).toEqual(before);
  },
);

async function isInstalled(program: string): Promise<boolean> {
  const places = ['/usr/sbin', '/sbin', '/usr/bin'].map((directory) => exists(`${directory}/${program}`));
  return (await Promise.all(places)).includes(true);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
