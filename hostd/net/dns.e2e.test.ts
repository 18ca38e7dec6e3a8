import { afterAll, beforeAll, expect, test } from 'vitest';
import { outside, outsideZone } from '../../test/doubles/outside-world.ts';
import { Lab } from './testing/lab.ts';
import type { Probe } from './testing/probe.ts';
import type { RemoteNetwork } from './testing/remote-network.ts';
import type { StandInGuest } from './testing/stand-in-guest.ts';

let lab: Lab;
let network: RemoteNetwork;
let guest: StandInGuest;
let gateway: string;

const loopbackResolver = '127.0.0.53';
const silentResolver = '203.0.113.54';
const refusingResolver = '203.0.113.55';

beforeAll(async () => {
  lab = await Lab.open();
  for (const address of [silentResolver, refusingResolver]) {
    await lab.world.run('ip', ['-n', lab.world.internetNetns, 'addr', 'add', `${address}/32`, 'dev', 'eth0']);
  }
  await lab.world.serve('internet', [
    { address: silentResolver, dns: { zone: {}, silent: true } },
    { address: refusingResolver, dns: { zone: {}, rcode: 5 } },
    { address: outside.privateAddress, dns: { zone: outsideZone } },
  ]);
  await lab.world.serve('host', [
    { address: loopbackResolver, dns: { zone: { 'local.example': { a: ['203.0.113.9'] } } } },
  ]);
  network = await lab.startedNetwork();
  ({ guest } = await lab.sandbox(network, 0, 'open'));
  gateway = (await network.facts()).link.gateway;
});

afterAll(async () => {
  await lab.close();
});

/** Longer than hostd takes to notice a changed file. */
async function resolveWith(addresses: readonly string[]): Promise<void> {
  await lab.useResolvers(addresses);
  await new Promise((resolve) => setTimeout(resolve, 1100));
}

const ask = (name: string, more: Partial<Probe> = {}): Probe => ({
  kind: 'dns-udp',
  to: gateway,
  port: 53,
  name,
  timeoutMs: 5000,
  ...more,
});

async function answers(...probes: Probe[]): Promise<string[]> {
  return (await guest.probe(probes)).map((result) => (result.outcome === 'ok' ? result.text : result.outcome));
}

test('names are resolved over UDP and TCP, unknown ones said to be so', async () => {
  await resolveWith([outside.resolverAddress]);
  const names = ['public.example', 'nowhere.example'];
  const probes = names.flatMap((name) => [ask(name), ask(name, { kind: 'dns-tcp' })]);
  expect(await answers(...probes)).toEqual(['0/1', '0/1', '3/0', '3/0']);
});

test('what does not fit UDP is said to be cut and comes by TCP', async () => {
  await resolveWith([outside.resolverAddress]);
  const probes = [ask('big.example', { type: 'TXT' }), ask('big.example', { type: 'TXT', kind: 'dns-tcp' })];
  expect(await answers(...probes)).toEqual(['0/0/truncated', '0/15']);
});

test('queries leave under another id and from another port each', async () => {
  await resolveWith([outside.resolverAddress]);
  const before = lab.world.arrivals.length;
  await answers(...Array.from({ length: 8 }, () => ask('public.example')));
  const seen = lab.world.arrivals.slice(before);
  // Chance may give one of them twice.
  expect(new Set(seen.map((arrival) => arrival.fromPort)).size).toBeGreaterThan(6);
  expect(new Set(seen.map((arrival) => arrival.id)).size).toBeGreaterThan(6);
});

test('a resolver on the host’s loopback and one in a private range serve, as they serve the host', async () => {
  await resolveWith([loopbackResolver]);
  expect(await answers(ask('local.example'), ask('local.example', { kind: 'dns-tcp' }))).toEqual(['0/1', '0/1']);
  await resolveWith([outside.privateAddress]);
  expect(await answers(ask('public.example'), ask('local.example'))).toEqual(['0/1', '3/0']);
});

test('servers that refuse, are silent or are not there are passed over', async () => {
  await resolveWith([refusingResolver, outside.resolverAddress]);
  expect(await answers(ask('public.example'), ask('public.example', { kind: 'dns-tcp' }))).toEqual(['0/1', '0/1']);
  await resolveWith([silentResolver, outside.resolverAddress]);
  expect(await answers(ask('public.example'), ask('public.example', { kind: 'dns-tcp' }))).toEqual(['0/1', '0/1']);
  await resolveWith(['127.0.0.99', outside.resolverAddress]);
  expect(await answers(ask('public.example'))).toEqual(['0/1']);
});

test('when no server answers, the client is told within its own patience', async () => {
  await resolveWith([silentResolver]);
  const [result] = await guest.probe([ask('public.example', { timeoutMs: 8000 })]);
  expect(result?.text).toBe('2/0');
  expect(result?.tookMs).toBeLessThan(5000);
});

test('one sandbox that asks without end does not keep another from its answers', async () => {
  await resolveWith([silentResolver]);
  const { guest: greedy } = await lab.sandbox(network, 1, 'open');
  const questions = Array.from({ length: 150 }, (_, index) => ask(`n${String(index)}.flood.example`));
  const flood = greedy.probe(questions.map((one) => ({ ...one, timeoutMs: 15_000 })));
  const passedOn = (): number =>
    new Set(lab.world.arrivals.flatMap(({ name }) => (name?.endsWith('.flood.example') === true ? [name] : []))).size;
  await expect.poll(passedOn, { timeout: 10_000 }).toBe(64);
  await resolveWith([outside.resolverAddress]);
  expect(await answers(ask('public.example'))).toEqual(['0/1']);
  expect((await flood).map((result) => result.text)).toEqual(Array(150).fill('2/0'));
  expect(passedOn()).toBe(64);
});

test('bytes that are no query get no answer and do no harm', async () => {
  await resolveWith([outside.resolverAddress]);
  const before = lab.world.arrivals.length;
  const garbage: Probe[] = [
    { kind: 'udp', to: gateway, port: 53, timeoutMs: 500 },
    { kind: 'tcp', to: gateway, port: 53, timeoutMs: 500 },
  ];
  await guest.probe(garbage);
  expect(lab.world.arrivals.slice(before)).toEqual([]);
  expect(await answers(ask('public.example'))).toEqual(['0/1']);
});

test('configured servers are asked instead of those of the host', async () => {
  await resolveWith([silentResolver]);
  const own = await lab.startedNetwork({ subnet: '10.99.0.0/24', dnsUpstreams: [`${outside.resolverAddress}:53`] });
  const { guest: other } = await lab.sandbox(own, 0, 'open');
  const { link } = await own.facts();
  const results = await other.probe([ask('public.example', { to: link.gateway })]);
  expect(results[0]?.text).toBe('0/1');
});

test('a taken DNS port is said, with what to do', async () => {
  await lab.world.serve('host', [{ dns: { zone: {}, port: 5353 } }]);
  const refused = lab.network({ subnet: '10.98.0.0/24', dnsPort: 5353 });
  await expect(refused.start()).rejects.toMatchObject({
    code: 'network-setup-failed',
    message: 'Another program answers DNS on 10.98.0.1:5353.',
    hint: expect.stringContaining('network.dnsPort') as string,
  });
  await refused.stop(false);
});
