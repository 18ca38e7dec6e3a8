import { afterAll, beforeAll, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { countedTraffic } from './egress/firewall/counted-traffic.ts';
import { PinWriter } from './egress/firewall/pin-writer.ts';
import { openPolicyLab, type PolicyLab, type PolicySandbox } from './egress/firewall/testing/policy-lab.ts';
import { fastMs } from './testing/lab.ts';
import type { Probe, ProbeResult } from './testing/probe.ts';

let here: PolicyLab;
let one: PolicySandbox;
let pins: PinWriter;

/** Counts what comes out of the pretended host, before the kernel puts fragments together. */
const watch = `table inet watch {
  counter raw { }
  counter echo { }
  counter fragments { }
  chain arrivals {
    type filter hook prerouting priority -450;
    meta l4proto 99 counter name raw
    icmp type echo-request counter name echo
    ip frag-off & 0x3fff != 0 counter name fragments
  }
}
`;

beforeAll(async () => {
  here = await openPolicyLab();
  const { world } = here.lab;
  await world.serve('host', [{ tcpPorts: [22, 8080], udpPorts: [7] }]);
  await world.serve({ netns: here.proxy.proxy.netnsName }, [{ tcpPorts: [18_443, 18_080, 18_444, 9] }]);
  await world.run('nsenter', [`--net=/run/netns/${world.internetNetns}`, '--', 'nft', '-f', '-'], { input: watch });
  one = await here.sandbox(0);
  const sibling = await here.sandbox(1);
  await world.serve({ netns: sibling.guest.netns }, [{ tcpPorts: [22] }]);
  pins = new PinWriter(here.runner, () => one.slot.netnsPath);
});

afterAll(async () => {
  await here.lab.close();
});

const tcp = (to: string, port: number): Probe => ({ kind: 'tcp', to, port });
const udp = (to: string, port: number): Probe => ({ kind: 'udp', to, port });
const pin = (port: number | 'any', transport: 'tcp' | 'udp' = 'tcp', address: string = outside.otherPublicAddress) =>
  ({ address, port, transport, name: 'named.example' }) as const;

const outcomes = (results: readonly ProbeResult[]): string[] => results.map(({ outcome }) => outcome);

async function arrivedOutside(counter: 'raw' | 'echo' | 'fragments'): Promise<number> {
  const { internetNetns } = here.lab.world;
  const list = ['nft', 'list', 'counter', 'inet', 'watch', counter];
  const { stdout } = await here.lab.world.run('nsenter', [`--net=/run/netns/${internetNetns}`, '--', ...list]);
  return Number(/packets (\d+)/.exec(stdout)?.[1]);
}

test('allowed: a network by rule, UDP by rule, pins, DNS at the gateway; 443, 80 and prefixed ports go to the proxy', async () => {
  const rules = ['203.0.113.0/24:22', `udp:${outside.publicAddress}:7`, `${outside.otherPublicAddress}:443`];
  await one.apply('enforce', [...rules, 'tls:named.example:8443']);
  await Promise.all([pins.add('one', pin(9000), 60_000), pins.add('one', pin('any', 'udp'), 60_000)]);
  const results = await one.guest.probe([
    tcp(outside.publicAddress, 22),
    udp(outside.publicAddress, 7),
    { ...tcp(outside.otherPublicAddress, 9000), timeoutMs: 10_000 },
    tcp(outside.otherPublicAddress, 443),
    { kind: 'dns-udp', to: here.plan.link.gateway, port: 53 },
    { kind: 'dns-tcp', to: here.plan.link.gateway, port: 53 },
    tcp(outside.publicAddress, 443),
    tcp('192.0.2.99', 80),
    tcp('192.0.2.99', 8443),
  ]);
  expect(outcomes(results)).toEqual(Array(9).fill('ok'));
  const { address } = here.proxy.proxy;
  const fromProxy = `hello from ${address} to ${one.slot.hostSideAddress}\n`;
  expect(results[0]?.text).toBe(`hello from ${outside.publicAddress} to ${outside.hostAddress}\n`);
  expect(results[3]?.text).toBe(`hello from ${outside.otherPublicAddress} to ${outside.hostAddress}\n`);
  expect([results[6]?.text, results[8]?.text]).toEqual([fromProxy, fromProxy]);
  expect(results[7]?.text).toContain(fromProxy);
});

test('refused at once: all other addresses and ports, and what is not public on every port', async () => {
  await one.apply('enforce', [`${outside.publicAddress}:22`, '0.0.0.0/0:23', 'named.example:9000']);
  await Promise.all([pins.add('one', pin(9000), 60_000), pins.remove('one', pin('any', 'udp'))]);
  const seenBefore = here.lab.world.arrivals.length;
  const { gateway } = here.plan.link;
  const closed: Record<string, Probe> = {
    'another address': tcp(outside.otherPublicAddress, 22),
    'another port': tcp(outside.publicAddress, 9000),
    'another port of a pinned address': tcp(outside.otherPublicAddress, 9001),
    'another resolver': { kind: 'dns-tcp', to: outside.resolverAddress, port: 53 },
    DoT: tcp(outside.resolverAddress, 853),
    metadata: tcp(outside.metadataAddress, 80),
    'metadata, under a rule for all addresses': tcp(outside.metadataAddress, 23),
    'private, proxied port': tcp(outside.privateAddress, 443),
    'private, other port': tcp(outside.privateAddress, 22),
    CGNAT: tcp(outside.carrierAddress, 22),
    sibling: tcp('10.83.0.3', 22),
    'sibling, under a rule for all addresses': tcp('10.83.0.3', 23),
    'the host': tcp(outside.hostAddress, 22),
    'the host on a proxied port': tcp(outside.hostAddress, 443),
    'the bridge': tcp('10.83.0.1', 22),
    'DNS on the bridge, past the gateway': tcp('10.83.0.1', 53),
    'the gateway': tcp(gateway, 22),
    'the gateway on a proxied port': tcp(gateway, 443),
    'the proxy’s listener, past the ports it serves': tcp(here.proxy.proxy.address, 18_443),
    'another port of the proxy': tcp(here.proxy.proxy.address, 9),
  };
  const results = await one.guest.probe(Object.values(closed));
  expect(Object.keys(closed).map((name, index) => [name, results[index]?.outcome])).toEqual(
    Object.keys(closed).map((name) => [name, 'ECONNREFUSED']),
  );
  const closedUdp: Record<string, Probe> = {
    'another resolver': { kind: 'dns-udp', to: outside.resolverAddress, port: 53 },
    QUIC: udp(outside.publicAddress, 443),
    'QUIC to a pinned address': udp(outside.otherPublicAddress, 443),
    'another transport of a rule': udp(outside.publicAddress, 22),
    'no rule': udp(outside.publicAddress, 7),
    metadata: udp(outside.metadataAddress, 7),
    'the host': udp(outside.hostAddress, 7),
    gateway: udp(gateway, 7),
    'the proxy': udp(here.proxy.proxy.address, 18_443),
  };
  const udpResults = await one.guest.probe(Object.values(closedUdp));
  expect(Object.keys(closedUdp).map((name, index) => [name, udpResults[index]?.outcome])).toEqual(
    Object.keys(closedUdp).map((name) => [name, 'EHOSTUNREACH']),
  );
  expect(Math.max(...[...results, ...udpResults].map(({ tookMs }) => tookMs))).toBeLessThan(fastMs);
  expect(here.lab.world.arrivals.slice(seenBefore)).toEqual([]);
});

test('an empty list denies everything but the gateway’s DNS and what the proxy decides', async () => {
  await pins.remove('one', pin(9000));
  await one.apply('enforce', []);
  const seenBefore = here.lab.world.arrivals.length;
  const results = await one.guest.probe([tcp(outside.publicAddress, 22), tcp(outside.otherPublicAddress, 9000)]);
  expect(outcomes(results)).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  expect(here.lab.world.arrivals.slice(seenBefore)).toEqual([]);
});

/** Debian's perl-base opens raw sockets; node doesn't. */
const perl = (text: string) => one.guest.run('perl', ['-MSocket', '-e', text]);

test('ICMP, raw protocols and fragments pass no more than their packets’ rule allows', async () => {
  await one.apply('enforce', [`udp:${outside.publicAddress}:7`]);
  const ping = one.guest.run('busybox', ['ping', '-c1', '-W1', outside.publicAddress]);
  await expect(ping).rejects.toThrow();
  const { stdout } = await one.guest.run('busybox', ['ping', '-c1', '-W1', here.plan.link.gateway]);
  expect(stdout).toContain('1 packets received');
  const raw = `socket(S, PF_INET, SOCK_RAW, 99) or die; send(S, "x" x 40, 0, pack_sockaddr_in(0, inet_aton("${outside.publicAddress}"))) or die;`;
  await perl(raw);
  expect([await arrivedOutside('echo'), await arrivedOutside('raw')]).toEqual([0, 0]);
  const big = (port: number): string =>
    `socket(S, PF_INET, SOCK_DGRAM, 0); connect(S, pack_sockaddr_in(${String(port)}, inet_aton("${outside.publicAddress}"))); send(S, "x" x 3000, 0); $SIG{ALRM} = sub { exit 3 }; alarm 2; defined recv(S, $b, 9000, 0) ? print length $b : print "refused";`;
  expect((await perl(big(7))).stdout).toMatch(/^3\d\d\d$/);
  const passed = await arrivedOutside('fragments');
  expect(passed).toBeGreaterThan(1);
  expect((await perl(big(9))).stdout).toBe('refused');
  // A fragment that is not the first, to an allowed port as far as its bytes can tell.
  await perl(
    `socket(S, PF_INET, SOCK_RAW, 255) or die; send(S, pack("CCnnnCCna4a4", 0x45, 0, 60, 77, 0x0064, 64, 17, 0, inet_aton("${here.plan.link.address}"), inet_aton("${outside.publicAddress}")) . ("\\0\\7" x 20), 0, pack_sockaddr_in(0, inet_aton("${outside.publicAddress}"))) or die;`,
  );
  expect(await arrivedOutside('fragments')).toBe(passed);
});

test('a source address that is not the guest’s own passes nothing, allowed destinations included', async () => {
  await one.apply('enforce', [`${outside.publicAddress}:22`, `udp:${outside.publicAddress}:7`]);
  await one.guest.run('ip', ['addr', 'add', '10.83.0.3/32', 'dev', 'eth0']);
  const seenBefore = here.lab.world.arrivals.length;
  const spoofed = { from: '10.83.0.3', timeoutMs: 500 };
  const results = await one.guest.probe([
    { ...tcp(outside.publicAddress, 22), ...spoofed },
    { ...tcp(outside.publicAddress, 443), ...spoofed },
    { ...udp(outside.publicAddress, 7), ...spoofed },
  ]);
  expect(outcomes(results)).toEqual(['timeout', 'timeout', 'timeout']);
  expect(here.lab.world.arrivals.slice(seenBefore)).toEqual([]);
});

test('a name that may be private reaches the proxy on private addresses, never on the host’s own', async () => {
  await one.apply('enforce', ['intern.example:443 private']);
  const results = await one.guest.probe([
    tcp(outside.privateAddress, 443),
    tcp(outside.metadataAddress, 443),
    tcp('10.83.0.3', 443),
    tcp(outside.hostAddress, 443),
  ]);
  expect(outcomes(results)).toEqual(['ok', 'ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  expect(results[0]?.text).toContain(`hello from ${here.proxy.proxy.address}`);
});

test('audit passes what is public and counts it; what is closed stays closed; denials are counted', async () => {
  await one.apply('audit', [`${outside.publicAddress}:22`]);
  const results = await one.guest.probe([
    tcp(outside.publicAddress, 22),
    tcp(outside.otherPublicAddress, 22),
    udp(outside.publicAddress, 7),
    tcp(outside.publicAddress, 443),
    tcp(outside.metadataAddress, 22),
    tcp(outside.hostAddress, 22),
    tcp('10.83.0.3', 22),
  ]);
  expect(outcomes(results)).toEqual(['ok', 'ok', 'ok', 'ok', 'ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  expect(results[3]?.text).toContain(`hello from ${here.proxy.proxy.address}`);
  await one.guest.run('busybox', ['ping', '-c1', '-W1', outside.publicAddress]);
  const counted = await countedTraffic(here.runner, one.slot.netnsPath);
  const find = (outcome: string, address: string, port?: number) =>
    counted.find((row) => row.outcome === outcome && row.address === address && row.port === port);
  expect(find('audited', outside.otherPublicAddress, 22)).toMatchObject({ protocol: 'tcp' });
  for (const outcome of ['audited', 'audited-received']) {
    expect(find(outcome, outside.otherPublicAddress, 22)?.bytes).toBeGreaterThan(3 * 40);
  }
  expect(find('audited', outside.publicAddress, 7)).toMatchObject({ protocol: 'udp', packets: 1 });
  expect(find('audited-received', outside.publicAddress, 7)).toMatchObject({ protocol: 'udp', packets: 1 });
  expect(find('audited', outside.publicAddress)).toMatchObject({ protocol: 'icmp' });
  expect(find('audited', outside.publicAddress, 22)).toBeUndefined();
  expect(find('audited', outside.publicAddress, 443)).toBeUndefined();
  expect(find('denied', outside.metadataAddress, 22)).toMatchObject({ protocol: 'tcp' });
  expect(find('denied', outside.resolverAddress, 853)).toMatchObject({ protocol: 'tcp', packets: 1 });
  const others = counted.filter((row) => row.outcome === 'denied' && row.address === outside.publicAddress);
  expect(others.map(({ protocol }) => protocol)).toEqual(expect.arrayContaining(['icmp', '99']));
});
