import { readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { outside } from '../../test/doubles/outside-world.ts';
import { openPolicyLab, listeners, type PolicyLab, type PolicySandbox } from './egress/firewall/testing/policy-lab.ts';
import { fastMs } from './testing/lab.ts';
import { resultSchema, type Probe, type ProbeResult } from './testing/probe.ts';

let here: PolicyLab;
let one: PolicySandbox;

beforeAll(async () => {
  here = await openPolicyLab();
  const { world } = here.lab;
  await world.run('ip', ['addr', 'add', '192.0.2.200/32', 'dev', 'lo']);
  await world.serve('host', [{ tcpPorts: [22, 8080], udpPorts: [7] }]);
  await world.serve({ netns: here.proxy.proxy.netnsName }, [{ tcpPorts: [18_443, 9], udpPorts: [7] }]);
  one = await here.sandbox(0);
  await one.apply('enforce', ['tls:named.example:8443'], new Map([...listeners, [8443, 9]]));
});

afterAll(async () => {
  await here.lab.close();
});

const tcp = (to: string, port: number): Probe => ({ kind: 'tcp', to, port });

/** Led to a listener of the proxy, and to a port of it that is none. */
const [toListener, toOtherPort] = [tcp(outside.publicAddress, 443), tcp(outside.publicAddress, 8443)];

async function probeFrom(netns: string, probes: readonly Probe[]): Promise<ProbeResult[]> {
  const program = fileURLToPath(new URL('testing/probe.ts', import.meta.url));
  const args = [`--net=/run/netns/${netns}`, '--', process.execPath, program, JSON.stringify(probes)];
  const { stdout } = await here.lab.world.run('nsenter', args);
  return z.array(resultSchema).parse(JSON.parse(stdout));
}

const fromProxy = (probes: readonly Probe[]): Promise<ProbeResult[]> => probeFrom(here.proxy.proxy.netnsName, probes);

const outcomes = (results: readonly ProbeResult[]): string[] => results.map(({ outcome }) => outcome);

test('the proxy reaches what sandboxes’ names may lead to, under the host’s address', async () => {
  const results = await fromProxy([tcp(outside.publicAddress, 443), tcp(outside.privateAddress, 22)]);
  expect(outcomes(results)).toEqual(['ok', 'ok']);
  expect(results[0]?.text).toBe(`hello from ${outside.publicAddress} to ${outside.hostAddress}\n`);
});

test('a sandbox that makes and ends connections without pause leaves the others ports for theirs', async () => {
  const { netnsPath } = here.proxy.proxy;
  const echo = { address: outside.otherPublicAddress, banner: { port: 2022, text: 'hello' } };
  await here.lab.world.serve('internet', [echo]);
  const ports = '/proc/sys/net/ipv4/ip_local_port_range';
  const inside = (script: string) => here.runner.run('nsenter', [`--net=${netnsPath}`, '--', 'sh', '-c', script]);
  const { stdout: range } = await inside(`cat ${ports}; echo 40000 40015 > ${ports}`);
  const args = [`--net=${netnsPath}`, '--', process.execPath, '-e', endsConnections, echo.address, '2022', '16'];
  const { stdout } = await here.lab.world.run('nsenter', args);
  await inside(`echo ${range.trim()} > ${ports}`);
  expect(stdout.trim()).toBe('16 16');
  expect(range.trim().split(/\s+/).map(Number)).toEqual([10_240, 65_535]);
});

/** Says how many connections could be made, one after the other, each of which it ends; and the same again a little later. */
const endsConnections = `
const [address, port, count] = process.argv.slice(1);
const once = () => new Promise((resolve) => {
  const socket = require('net').connect(Number(port), address);
  socket.once('error', () => resolve(0)).once('data', () => socket.end()).once('close', () => resolve(1)).resume();
});
const several = async () => {
  let made = 0;
  for (let index = 0; index < Number(count); index += 1) made += await once();
  return made;
};
(async () => {
  const first = await several();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  console.log(first, await several());
})();`;

test('the proxy never reaches the host, its bridge, sandboxes or itself, and speaks TCP alone', async () => {
  const seenBefore = here.lab.world.arrivals.length;
  await here.lab.world.serve({ netns: one.slot.netnsName }, [{ tcpPorts: [22] }]);
  const closed: Record<string, Probe> = {
    'the host on its uplink': tcp(outside.hostAddress, 22),
    'the host on another address': tcp('192.0.2.200', 8080),
    'the bridge': tcp(here.plan.bridgeAddress, 22),
    'DNS on the bridge': tcp(here.plan.bridgeAddress, 53),
    'a sandbox': tcp(one.slot.hostSideAddress, 22),
    'an address where no sandbox is': tcp('10.83.7.7', 22),
    itself: tcp(here.proxy.proxy.address, 18_443),
    'itself on loopback': tcp('127.0.0.1', 18_443),
    'UDP outside': { kind: 'udp', to: outside.publicAddress, port: 7, timeoutMs: 600 },
    'DNS outside': { kind: 'dns-udp', to: outside.resolverAddress, port: 53, timeoutMs: 600 },
  };
  const results = await fromProxy(Object.values(closed));
  const reached = Object.keys(closed).filter((_name, index) => results[index]?.outcome === 'ok');
  expect(reached).toEqual([]);
  expect(outcomes(results.slice(0, 8))).toEqual(Array(8).fill('ECONNREFUSED'));
  expect(Math.max(...results.map(({ tookMs }) => tookMs))).toBeLessThan(fastMs);
  expect(here.lab.world.arrivals.slice(seenBefore)).toEqual([]);
});

test('only its listeners are open to sandboxes, and nothing to the host and the world outside', async () => {
  const { address } = here.proxy.proxy;
  const viaHost = ['route', 'replace', '10.83.0.0/16', 'via', outside.hostAddress];
  await here.lab.world.run('ip', ['-n', here.lab.world.internetNetns, ...viaHost]);
  const seenBefore = here.lab.world.arrivals.length;
  const ports = [18_443, 9];
  const probes = ports.map((port) => ({ ...tcp(address, port), timeoutMs: 600 }));
  const bySandbox = await one.guest.probe([toListener, toOtherPort]);
  const byHost = await probeFrom(here.lab.world.hostNetns, probes);
  const byInternet = await probeFrom(here.lab.world.internetNetns, probes);
  expect(outcomes(bySandbox)).toEqual(['ok', 'ECONNREFUSED']);
  expect(Math.max(...bySandbox.map(({ tookMs }) => tookMs))).toBeLessThan(fastMs);
  expect([...outcomes(byHost), ...outcomes(byInternet)]).not.toContain('ok');
  expect(here.lab.world.arrivals.slice(seenBefore).map(({ from }) => from)).toEqual([one.slot.hostSideAddress]);
});

test('ensure mends what others removed, and programs in the namespace stay', async () => {
  const { vethName } = here.proxy.proxy;
  const [before] = await one.guest.probe([toListener]);
  expect(before?.text).toContain(`hello from ${here.proxy.proxy.address}`);
  const damages: (() => Promise<unknown>)[] = [
    () => here.runner.run('ip', ['link', 'del', 'dev', vethName]),
    () => here.runner.run('ip', ['link', 'set', 'dev', vethName, 'nomaster']),
    () => here.runner.run('nft', ['flush', 'chain', 'inet', here.plan.tableName, 'guard']),
    () => here.runner.run('nsenter', [`--net=${here.proxy.proxy.netnsPath}`, '--', 'nft', 'flush', 'ruleset']),
  ];
  for (const damage of damages) {
    await damage();
    await here.network.stop(true);
    await here.network.start();
    await here.proxy.ensure([...listeners.values()]);
    const [after, other] = await one.guest.probe([toListener, toOtherPort]);
    expect([after?.text, other?.outcome]).toEqual([before?.text, 'ECONNREFUSED']);
  }
});

test('ensure again leaves the proxy’s neighbours known, and gives its link back the MAC when it lost that', async () => {
  const inside = (...args: readonly string[]) =>
    here.runner.run('nsenter', [`--net=${here.proxy.proxy.netnsPath}`, '--', 'ip', ...args]);
  const neighbours = async () =>
    (await inside('neigh', 'show', 'dev', 'up0')).stdout.match(/^\S+ lladdr \S+/gm)?.sort();
  await one.guest.probe([toListener]);
  const known = await neighbours();
  expect(known).toHaveLength(2);
  await here.proxy.ensure('keep');
  expect(await neighbours()).toEqual(known);
  await inside('link', 'set', 'dev', 'up0', 'address', '02:00:00:00:00:99');
  expect(outcomes(await one.guest.probe([{ ...toListener, timeoutMs: 600 }]))).toEqual(['timeout']);
  await here.proxy.ensure('keep');
  expect(outcomes(await one.guest.probe([toListener]))).toEqual(['ok']);
});

test('ensure again changes nothing; other listeners take the place of the first', async () => {
  const picture = await here.lab.hostPicture();
  await here.proxy.ensure([...listeners.values()]);
  expect(await here.lab.hostPicture()).toBe(picture);
  await here.proxy.ensure([9]);
  await here.proxy.ensure('keep');
  expect(outcomes(await one.guest.probe([toListener, toOtherPort]))).toEqual(['ECONNREFUSED', 'ok']);
  await here.proxy.ensure([...listeners.values()]);
});

test('with nothing to keep nothing is open', async () => {
  await here.runner.run('nsenter', [`--net=${here.proxy.proxy.netnsPath}`, '--', 'nft', 'flush', 'ruleset']);
  await here.proxy.ensure('keep');
  expect(outcomes(await one.guest.probe([toListener, toOtherPort]))).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  await here.proxy.ensure([...listeners.values()]);
});

test('sandboxes and proxy talk where bridged frames pass the rules of the host, and where they don’t', async () => {
  const setting = '/proc/sys/net/bridge/bridge-nf-call-iptables';
  const set = (value: '0' | '1') => here.runner.run('sh', ['-c', `[ ! -e ${setting} ] || echo ${value} > ${setting}`]);
  for (const value of ['0', '1'] as const) {
    await set(value);
    const results = await one.guest.probe([toListener, toOtherPort, tcp(here.proxy.proxy.address, 18_443)]);
    expect(outcomes(results)).toEqual(['ok', 'ECONNREFUSED', 'ECONNREFUSED']);
  }
});

test('without the proxy nothing passes', async () => {
  const seenBefore = here.lab.world.arrivals.length;
  await here.proxy.remove();
  const [result] = await one.guest.probe([{ ...tcp(outside.publicAddress, 443), timeoutMs: 1000 }]);
  expect(result?.outcome).not.toBe('ok');
  expect(here.lab.world.arrivals.slice(seenBefore)).toEqual([]);
});

test('removed it leaves nothing, can be removed again, and a half-made one is no obstacle', async () => {
  const { netnsName, netnsPath, vethName } = here.proxy.proxy;
  await here.proxy.remove();
  expect(await readdir('/run/netns')).not.toContain(netnsName);
  expect((await here.lab.hostPicture()).split('\n')[0]).not.toContain(vethName);
  await writeFile(netnsPath, '');
  await here.proxy.ensure([18_443]);
  const [result] = await fromProxy([tcp(outside.publicAddress, 443)]);
  expect(result?.outcome).toBe('ok');
});
