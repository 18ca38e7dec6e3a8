import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import type { GuestLink, NetworkSlot } from './network.ts';
import { gatewayMac } from './plan.ts';
import { fastMs, Lab } from './testing/lab.ts';
import type { Probe } from './testing/probe.ts';
import type { RemoteNetwork } from './testing/remote-network.ts';
import type { StandInGuest } from './testing/stand-in-guest.ts';

let lab: Lab;
let network: RemoteNetwork;
let guest: StandInGuest;
let sibling: StandInGuest;
let guestSlot: NetworkSlot;
let siblingSlot: NetworkSlot;
let shut: StandInGuest;
let link: GuestLink;

beforeAll(async () => {
  lab = await Lab.open();
  const { world } = lab;
  // A second address of the host that looks like anyone's, a service on all of the host, and one that it forwards, as Docker's port publishing does.
  await world.run('ip', ['addr', 'add', '192.0.2.200/32', 'dev', 'lo']);
  await world.serve('host', [{ tcpPorts: [22, 8080], udpPorts: [7] }]);
  await lab.nft(`table ip published {
    chain prerouting { type nat hook prerouting priority dstnat; tcp dport 8443 dnat to ${outside.publicAddress}:443; }
  }
  `);
  network = await lab.startedNetwork();
  ({ link } = await network.facts());
  ({ guest, slot: guestSlot } = await lab.sandbox(network, 0, 'open'));
  ({ guest: sibling, slot: siblingSlot } = await lab.sandbox(network, 1, 'open'));
  ({ guest: shut } = await lab.sandbox(network, 2, 'none'));
});

afterAll(async () => {
  await lab.close();
});

const tcp = (to: string, port: number): Probe => ({ kind: 'tcp', to, port });
const udp = (to: string, port: number): Probe => ({ kind: 'udp', to, port });

describe('open', () => {
  test('the public internet answers, from addresses in documentation ranges too, and sees the address of the host', async () => {
    const results = await guest.probe([
      tcp(outside.publicAddress, 443),
      tcp(outside.publicAddress, 80),
      tcp(outside.otherPublicAddress, 22),
      tcp(outside.gateway, 22),
      udp(outside.publicAddress, 7),
    ]);
    expect(results.map((result) => result.outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(results[0]?.text).toBe(`hello from ${outside.publicAddress} to ${outside.hostAddress}\n`);
    expect(results[4]?.text).toBe(`${outside.publicAddress} ${outside.hostAddress} ping`);
  });

  test('megabytes arrive whole', async () => {
    const [result] = await guest.probe([{ ...tcp(outside.publicAddress, 9000), timeoutMs: 10_000 }]);
    expect(result).toMatchObject({ outcome: 'ok', bytes: 4 * 1024 * 1024 });
  });

  test('what is not public, the host and other sandboxes are refused at once', async () => {
    const seenBefore = lab.world.arrivals.length;
    const closed: Record<string, readonly [address: string, port: number]> = {
      'the metadata service': [outside.metadataAddress, 80],
      'RFC 1918': [outside.privateAddress, 443],
      'RFC 1918, second range': ['172.31.0.1', 80],
      'RFC 1918, third range': ['192.168.1.1', 80],
      CGNAT: [outside.carrierAddress, 22],
      'another link-local address': ['169.254.1.1', 80],
      'this network': ['0.0.0.1', 80],
      'the host on its uplink': [outside.hostAddress, 22],
      'the host on another address': ['192.0.2.200', 8080],
      'a port that the host forwards': [outside.hostAddress, 8443],
      'the host on the bridge': ['10.83.0.1', 22],
      'DNS on the bridge, past the gateway': ['10.83.0.1', 53],
      'the gateway': [link.gateway, 22],
      'its own address on the bridge': ['10.83.0.2', 22],
      'another sandbox': ['10.83.0.3', 22],
      'an address where no sandbox is': ['10.83.7.7', 22],
    };
    const results = await guest.probe(Object.values(closed).map(([address, port]) => tcp(address, port)));
    const outcomes = Object.keys(closed).map((name, index) => [name, results[index]?.outcome]);
    expect(outcomes).toEqual(Object.keys(closed).map((name) => [name, 'ECONNREFUSED']));
    expect(Math.max(...results.map((result) => result.tookMs))).toBeLessThan(fastMs);
    expect(lab.world.arrivals.slice(seenBefore)).toEqual([]);
  });

  test('refusals of UDP are as quick', async () => {
    const addresses = [outside.metadataAddress, outside.privateAddress, outside.hostAddress, '10.83.0.3', link.gateway];
    const seenBefore = lab.world.arrivals.length;
    const results = await guest.probe(addresses.map((address) => udp(address, 7)));
    expect(results.map((result) => result.outcome)).toEqual(addresses.map(() => 'EHOSTUNREACH'));
    expect(Math.max(...results.map((result) => result.tookMs))).toBeLessThan(fastMs);
    expect(lab.world.arrivals.slice(seenBefore)).toEqual([]);
  });

  test('packets for a loopback address that do leave the guest reach nothing', async () => {
    await guest.run('ip', ['route', 'del', 'local', '127.0.0.0/8', 'table', 'local']);
    await guest.run('ip', ['route', 'add', '127.9.9.9/32', 'via', link.gateway]);
    const seenBefore = lab.world.arrivals.length;
    const [overTcp] = await guest.probe([{ ...tcp('127.9.9.9', 22), from: link.address, timeoutMs: 600 }]);
    expect(overTcp?.outcome).not.toBe('ok');
    expect(lab.world.arrivals.slice(seenBefore)).toEqual([]);
  });

  test('the gateway answers ping', async () => {
    const { stdout } = await guest.run('busybox', ['ping', '-c1', '-W1', link.gateway]);
    expect(stdout).toContain('1 packets received');
  });

  test('neither the host, nor a sandbox, nor the world outside opens a connection to a sandbox', async () => {
    await lab.world.serve({ netns: sibling.netns }, [{ tcpPorts: [8080], udpPorts: [7] }]);
    const inside = lab.world.arrivals.length;
    const fromHost = await connects(lab.world.hostNetns, siblingSlot.hostSideAddress, 8080);
    const viaHost = ['route', 'add', '10.83.0.0/16', 'via', outside.hostAddress];
    await lab.world.run('ip', ['-n', lab.world.internetNetns, ...viaHost]);
    const fromInternet = await connects(lab.world.internetNetns, siblingSlot.hostSideAddress, 8080);
    const dnsFromInternet = await connects(lab.world.internetNetns, '10.83.0.1', 53);
    expect([fromHost, fromInternet, dnsFromInternet]).toEqual([false, false, false]);
    expect(lab.world.arrivals.slice(inside)).toEqual([]);
  });

  test('packets with a source that is not the guest’s own are dropped', async () => {
    const spoofed = ['203.0.113.99', '10.83.0.3', '10.9.9.9'];
    for (const address of spoofed) await guest.run('ip', ['addr', 'add', `${address}/32`, 'dev', 'eth0']);
    const seenBefore = lab.world.arrivals.length;
    const results = await guest.probe(
      spoofed.flatMap((from): Probe[] => [
        { ...tcp(outside.publicAddress, 443), from, timeoutMs: 600 },
        { ...udp(outside.publicAddress, 7), from, timeoutMs: 600 },
        { kind: 'dns-udp', to: link.gateway, port: 53, from, timeoutMs: 600 },
      ]),
    );
    expect(new Set(results.map((result) => result.outcome))).toEqual(new Set(['timeout']));
    expect(lab.world.arrivals.slice(seenBefore)).toEqual([]);
  });

  test('addresses that a guest claims by ARP are not learnt: it could fill the host’s table of neighbours', async () => {
    const claimed = ['203.0.113.98', '10.83.0.4', outside.gateway];
    for (const address of claimed) {
      await guest.run('ip', ['addr', 'replace', `${address}/32`, 'dev', 'eth0']);
      await lab.world.run('nsenter', [
        ...[`--net=/run/netns/${guest.netns}`, '--', 'busybox', 'sh', '-c'],
        `busybox arping -c 1 -w 1 -I eth0 -s ${address} ${link.gateway}; true`,
      ]);
      await guest.run('ip', ['addr', 'del', `${address}/32`, 'dev', 'eth0']);
    }
    const { stdout } = await lab.world.run('ip', ['-n', guestSlot.netnsName, 'neigh', 'show', 'dev', 'tap0']);
    expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(`^${link.address} .* PERMANENT`)]);
    const { stdout: pinged } = await guest.run('busybox', ['ping', '-c1', '-W1', link.gateway]);
    expect(pinged).toContain('1 packets received');
  });

  test('there is no IPv6: the gateway has no address, announces nothing and answers nothing', async () => {
    const own = await lab.world.run('ip', ['-n', siblingSlot.netnsName, '-6', 'addr', 'show']);
    expect(own.stdout).toBe('');
    // A guest that insists: an address, a route and the gateway's MAC of its own making.
    await guest.run('ip', ['-6', 'addr', 'add', '2001:db8::2/64', 'dev', 'eth0', 'nodad']);
    await guest.run('ip', [
      '-6',
      'neigh',
      'add',
      '2001:db8::1',
      'lladdr',
      gatewayMac,
      'dev',
      'eth0',
      'nud',
      'permanent',
    ]);
    await guest.run('ip', ['-6', 'route', 'add', 'default', 'via', '2001:db8::1']);
    const [result] = await guest.probe([{ ...tcp('2001:db8:1::1', 80), timeoutMs: 600 }]);
    expect(result?.outcome).toBe('timeout');
    const { stdout } = await guest.run('grep', ['-E', '^Icmp6InRouterAdv|^Ip6InNoRoutes', '/proc/net/snmp6']);
    expect(stdout).toMatch(/Icmp6InRouterAdvertisements\s+0/);
  });
});

describe('none', () => {
  test('nothing is reached, DNS included, and all is refused at once', async () => {
    const seenBefore = lab.world.arrivals.length;
    const results = await shut.probe([
      tcp(outside.publicAddress, 443),
      tcp(outside.privateAddress, 443),
      tcp(link.gateway, 53),
      tcp('10.83.0.1', 53),
      { kind: 'dns-tcp', to: link.gateway, port: 53 },
      { kind: 'dns-udp', to: link.gateway, port: 53 },
      udp(outside.publicAddress, 7),
    ]);
    expect(results.slice(0, 5).map((result) => result.outcome)).toEqual(Array(5).fill('ECONNREFUSED'));
    expect(results.slice(5).map((result) => result.outcome)).toEqual(['EHOSTUNREACH', 'EHOSTUNREACH']);
    expect(Math.max(...results.map((result) => result.tookMs))).toBeLessThan(fastMs);
    expect(lab.world.arrivals.slice(seenBefore)).toEqual([]);
  });
});

test('two sandboxes have the same address and both get through', async () => {
  const [[one], [other]] = await Promise.all([
    guest.probe([tcp(outside.publicAddress, 443)]),
    sibling.probe([tcp(outside.publicAddress, 443)]),
  ]);
  expect([one?.outcome, other?.outcome]).toEqual(['ok', 'ok']);
});

async function connects(netns: string, address: string, port: number): Promise<boolean> {
  const program = `const s=require('net').connect(${String(port)},'${address}');s.setTimeout(600,()=>{console.log('no');s.destroy()});s.on('error',()=>{console.log('no');s.destroy()});s.on('connect',()=>{console.log('yes');s.destroy()})`;
  const { stdout } = await lab.world.run('nsenter', [
    `--net=/run/netns/${netns}`,
    '--',
    process.execPath,
    '-e',
    program,
  ]);
  return stdout.includes('yes');
}
