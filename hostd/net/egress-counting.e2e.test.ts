import { afterAll, beforeAll, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { countedTraffic, type CountedTraffic } from './egress/firewall/counted-traffic.ts';
import { PinWriter } from './egress/firewall/pin-writer.ts';
import { openPolicyLab, type PolicyLab, type PolicySandbox } from './egress/firewall/testing/policy-lab.ts';
import type { Probe } from './testing/probe.ts';

let here: PolicyLab;
let one: PolicySandbox;

beforeAll(async () => {
  here = await openPolicyLab();
  await here.lab.world.serve({ netns: here.proxy.proxy.netnsName }, [{ tcpPorts: [18_443, 18_080, 18_444] }]);
  one = await here.sandbox(0);
});

afterAll(async () => {
  await here.lab.close();
});

const tcp = (to: string, port: number): Probe => ({ kind: 'tcp', to, port });
const udp = (to: string, port: number): Probe => ({ kind: 'udp', to, port });
const rules = ['203.0.113.0/24:22', `udp:${outside.publicAddress}:7`];

async function counted(outcome: CountedTraffic['outcome'], address: string, port: number) {
  const all = await countedTraffic(here.runner, one.slot.netnsPath);
  return all.find((row) => row.outcome === outcome && row.address === address && row.port === port);
}

async function attempt(...probes: Probe[]): Promise<string[]> {
  return (await one.guest.probe(probes)).map(({ outcome }) => outcome);
}

test('what rules by address and pins open is counted by connection and direction', async () => {
  const pins = new PinWriter(here.runner, () => one.slot.netnsPath);
  await one.apply('enforce', rules);
  const pin = { address: outside.otherPublicAddress, port: 9000, transport: 'tcp', name: 'named.example' } as const;
  await pins.add('one', pin, 60_000);
  const ssh = tcp(outside.publicAddress, 22);
  const download = { ...tcp(outside.otherPublicAddress, 9000), timeoutMs: 10_000 };
  const results = await attempt(ssh, ssh, udp(outside.publicAddress, 7), download);
  expect(results).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(await counted('opened', outside.publicAddress, 22)).toMatchObject({ protocol: 'tcp', packets: 2 });
  expect(await counted('opened', outside.publicAddress, 7)).toMatchObject({ protocol: 'udp', packets: 1 });
  expect(await counted('opened', outside.otherPublicAddress, 9000)).toMatchObject({ protocol: 'tcp', packets: 1 });
  expect(await counted('sent', outside.publicAddress, 7)).toMatchObject({ protocol: 'udp', packets: 1 });
  expect(await counted('received', outside.publicAddress, 7)).toMatchObject({ protocol: 'udp', packets: 1 });
  const sent = await counted('sent', outside.publicAddress, 22);
  const received = await counted('received', outside.publicAddress, 22);
  // Two handshakes with their ends, and greetings that only the server says.
  expect(sent?.packets).toBeGreaterThanOrEqual(2 * 3);
  expect(received?.packets).toBeGreaterThanOrEqual(2 * 3);
  const greeting = `hello from ${outside.publicAddress} to ${outside.hostAddress}\n`.length;
  expect(received?.bytes).toBeGreaterThanOrEqual(2 * (3 * 40 + greeting));
  expect(received?.bytes).toBeLessThan(2 * (8 * 64 + greeting));
});

test('what is refused, or led to the proxy, is not', async () => {
  const results = await attempt(tcp(outside.publicAddress, 9000), tcp(outside.publicAddress, 443));
  expect(results).toEqual(['ECONNREFUSED', 'ok']);
  for (const outcome of ['opened', 'sent', 'received'] as const) {
    for (const port of [9000, 443]) expect(await counted(outcome, outside.publicAddress, port)).toBeUndefined();
  }
});

test('counts go on over a change of policy, and under audit leave out what no rule opens', async () => {
  const before = await counted('received', outside.publicAddress, 22);
  await one.apply('enforce', []);
  expect(await counted('opened', outside.publicAddress, 22)).toMatchObject({ packets: 2 });
  await one.apply('audit', rules);
  expect(await attempt(tcp(outside.publicAddress, 22), tcp(outside.otherPublicAddress, 22))).toEqual(['ok', 'ok']);
  expect(await counted('opened', outside.publicAddress, 22)).toMatchObject({ packets: 3 });
  expect((await counted('received', outside.publicAddress, 22))?.bytes).toBeGreaterThan(before?.bytes ?? Infinity);
  expect(await counted('audited', outside.publicAddress, 22)).toBeUndefined();
  expect(await counted('audited', outside.otherPublicAddress, 22)).toBeDefined();
  expect(await counted('opened', outside.otherPublicAddress, 22)).toBeUndefined();
});

test('full sets stop nothing', async () => {
  const full = ['opened', 'passed'].map(
    (set) =>
      `flush set inet offshoot ${set}\n` +
      Array.from({ length: set === 'opened' ? 4096 : 8192 }, (_, index) => {
        const port = set === 'opened' ? String(index + 1) : `${String(index + 1)} . original`;
        return `add element inet offshoot ${set} { tcp . 192.0.2.1 . ${port} }\n`;
      }).join(''),
  );
  const load = ['nsenter', `--net=${one.slot.netnsPath}`, '--', 'nft', '-f', '-'];
  await here.runner.run('env', load, { input: full.join('') });
  const ssh = tcp(outside.publicAddress, 22);
  expect(await attempt(ssh, ssh)).toEqual(['ok', 'ok']);
  expect(await counted('opened', '192.0.2.1', 4096)).toBeDefined();
  expect(await counted('opened', outside.publicAddress, 22)).toBeUndefined();
});
