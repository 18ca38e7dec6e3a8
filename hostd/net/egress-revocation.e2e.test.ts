import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import type { Pin } from './egress/dns/pin-document.ts';
import { loadRules, rulesAnew } from './egress/firewall/load-rules.ts';
import { PinWriter } from './egress/firewall/pin-writer.ts';
import { LongFlow } from './egress/firewall/testing/long-flow.ts';
import { openPolicyLab, type PolicyLab, type PolicySandbox } from './egress/firewall/testing/policy-lab.ts';
import { parseIpv4Network } from './ipv4.ts';
import { planSlot } from './plan.ts';
import { slotRules } from './slot-rules.ts';
import type { Probe, ProbeResult } from './testing/probe.ts';

let here: PolicyLab;
let one: PolicySandbox;
let pins: PinWriter;
const flows: LongFlow[] = [];

beforeAll(async () => {
  here = await openPolicyLab();
  const drip = { bytes: 1_000_000, everyMs: 15 };
  await here.lab.world.serve('internet', [{ drip: { ...drip, port: 9100 } }]);
  await here.lab.world.serve({ netns: here.proxy.proxy.netnsName }, [
    { drip: { ...drip, port: 18_443 } },
    { drip: { ...drip, port: 18_444 } },
  ]);
  one = await here.sandbox(0);
  pins = new PinWriter(here.runner, () => one.slot.netnsPath);
});

afterEach(() => {
  for (const flow of flows.splice(0)) flow.close();
});

afterAll(async () => {
  await here.lab.close();
});

const drips: Pin = { address: outside.publicAddress, port: 9100, transport: 'tcp', name: 'named.example' };
const echoes: Pin = { ...drips, port: 7, transport: 'udp' };

async function flowing(transport: 'tcp' | 'udp', address: string, port: number): Promise<LongFlow> {
  const flow = new LongFlow(one.guest.netns, transport, address, port);
  flows.push(flow);
  expect(await flow.moves()).toBeDefined();
  return flow;
}

test('a policy that no longer has a rule cuts its connections within a second, on both ends, and no others', async () => {
  const kept = `${outside.otherPublicAddress}:9100`;
  await one.apply('enforce', [`${outside.publicAddress}:9100`, `udp:${outside.publicAddress}:7`, kept]);
  const download = await flowing('tcp', outside.publicAddress, 9100);
  const datagrams = await flowing('udp', outside.publicAddress, 7);
  const other = await flowing('tcp', outside.otherPublicAddress, 9100);
  const proxied = await flowing('tcp', outside.publicAddress, 443);
  await one.apply('enforce', [kept]);
  const tookMs = await Promise.all([download.ends(), datagrams.ends()]);
  expect(tookMs.every((ms) => ms !== undefined && ms < 1000)).toBe(true);
  expect([download.ended, datagrams.ended]).toEqual(['ECONNRESET', 'EHOSTUNREACH']);
  expect([await other.moves(), await proxied.moves()].every((ms) => ms !== undefined)).toBe(true);
  await expect.poll(openOutside, { timeout: 5000 }).not.toMatch(established(outside.publicAddress, 9100));
  expect(await openOutside()).toMatch(established(outside.otherPublicAddress, 9100));
});

/** The sockets of the servers outside, who are told of the cut too. */
async function openOutside(): Promise<string> {
  const netns = `--net=/run/netns/${here.lab.world.internetNetns}`;
  return (await here.lab.world.run('nsenter', [netns, '--', 'cat', '/proc/net/tcp'])).stdout;
}

/** A line of /proc/net/tcp in state 01; addresses there are in the byte order of the machine. */
function established(address: string, port: number): RegExp {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase());
  const hexPort = port.toString(16).padStart(4, '0').toUpperCase();
  return new RegExp(` (${bytes.join('')}|${bytes.toReversed().join('')}):${hexPort} \\w+:\\w+ 01 `);
}

test('a port that the proxy no longer serves is cut, and so is one that it now serves', async () => {
  await one.apply('enforce', ['tls:named.example:8443', `${outside.publicAddress}:9100`]);
  await pins.add('one', drips, 60_000);
  const served = await flowing('tcp', '192.0.2.99', 8443);
  await one.apply('enforce', [`${outside.publicAddress}:9100`]);
  expect(await served.ends()).toBeLessThan(1000);
  const direct = await flowing('tcp', outside.publicAddress, 9100);
  await one.apply('enforce', []);
  // Still pinned: pins are the resolver's to take back.
  expect(await direct.moves()).toBeDefined();
  await pins.remove('one', drips);
  expect(await direct.ends()).toBeLessThan(1000);
});

test('connections by a pin live on while it is renewed, are seen to use it, and end with it', async () => {
  await one.apply('enforce', []);
  await Promise.all([pins.add('one', drips, 60_000), pins.add('one', echoes, 60_000)]);
  const flow = await flowing('tcp', outside.publicAddress, 9100);
  const datagrams = await flowing('udp', outside.publicAddress, 7);
  const unused: Pin = { ...drips, address: outside.otherPublicAddress };
  const anyPort: Pin = { ...drips, port: 'any' };
  await pins.add('one', unused, 60_000);
  expect(await pins.inUse('one', [drips, unused, echoes, anyPort])).toEqual([drips, echoes, anyPort]);
  for (let round = 0; round < 20; round += 1) await pins.add('one', drips, 60_000);
  expect([await flow.moves(), await datagrams.moves()].every((ms) => ms !== undefined)).toBe(true);
  // A shorter life counts too: what a policy gives up does not have to wait for its time.
  await pins.add('one', drips, 700);
  expect(await flow.ends(3000)).toBeDefined();
  await pins.remove('one', echoes);
  expect(await datagrams.ends()).toBeLessThan(1000);
  expect([flow.ended, datagrams.ended]).toEqual(['ECONNRESET', 'EHOSTUNREACH']);
  await pins.remove('one', echoes);
});

test('a batch with a pin that nft refuses fails that one alone; sandboxes that are gone and IPv6 are refused', async () => {
  const bad: Pin = { ...drips, address: '198.51.100.9', port: 70_000 };
  const good: Pin = { ...drips, address: '198.51.100.8' };
  const results = await Promise.allSettled([pins.add('one', good, 60_000), pins.add('one', bad, 60_000)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(pins.add('one', { ...drips, address: '2001:db8::1' }, 1000)).rejects.toThrow(/IPv4/);
  const gone = new PinWriter(here.runner, () => undefined);
  await expect(gone.add('two', drips, 1000)).rejects.toThrow(/two has no network/);
  expect(await gone.inUse('two', [drips])).toEqual([]);
});

test('changes of policy under running connections let none through that neither policy allows', async () => {
  const seenBefore = here.lab.world.arrivals.length;
  const rules = (address: string) => [`${address}:22`, `${outside.publicAddress}:9100`];
  await one.apply('enforce', rules(outside.publicAddress));
  const flow = await flowing('tcp', outside.publicAddress, 9100);
  const probes = Array.from({ length: 25 }, (_, index): Probe => {
    const port = index % 4 === 0 ? 22 : 80 + (index % 4);
    return { kind: 'tcp', to: outside.otherPublicAddress, port: port === 22 ? 22 : 9100 + port };
  });
  let isDone = false;
  const probing = (async () => {
    const results: ProbeResult[] = [];
    for (let round = 0; round < 4; round += 1) results.push(...(await one.guest.probe(probes)));
    isDone = true;
    return results;
  })();
  let changes = 0;
  while (!isDone) {
    changes += 1;
    await one.apply('enforce', rules(changes % 2 === 0 ? outside.publicAddress : outside.otherPublicAddress));
  }
  const results = await probing;
  expect(changes).toBeGreaterThan(3);
  const wrong = results.filter(
    (result, index) => probes[index % probes.length]?.port !== 22 && result.outcome !== 'ECONNREFUSED',
  );
  expect(wrong).toEqual([]);
  const arrived = here.lab.world.arrivals.slice(seenBefore);
  expect(arrived.filter(({ port }) => port !== 22 && port !== 9100)).toEqual([]);
  expect(flow.ended).toBeUndefined();
  expect(await flow.moves()).toBeDefined();
});

test('a policy may follow on open rules and give way to them again', async () => {
  const two = await here.sandbox(1);
  const flow = new LongFlow(two.guest.netns, 'tcp', outside.publicAddress, 9100);
  flows.push(flow);
  expect(await flow.moves()).toBeDefined();
  await two.apply('audit', []);
  expect(await flow.moves()).toBeDefined();
  await two.apply('enforce', []);
  expect(await flow.ends()).toBeLessThan(1000);
  const slot = planSlot(here.plan, parseIpv4Network(here.plan.subnet)?.base ?? 0, 1);
  await loadRules(here.runner, slot.netnsPath, rulesAnew(slotRules(here.plan, slot, 'open')));
  const [web] = await two.guest.probe([{ kind: 'tcp', to: outside.publicAddress, port: 443 }]);
  expect(web?.text).toContain(`hello from ${outside.publicAddress}`);
  await two.apply('enforce', []);
  const [closed] = await two.guest.probe([{ kind: 'tcp', to: outside.publicAddress, port: 22 }]);
  expect(closed?.outcome).toBe('ECONNREFUSED');
});

test('a thousand rules are in force soon', async () => {
  const rules = Array.from({ length: 1000 }, (_, index) => {
    const [high, low] = [Math.floor(index / 200), index % 200];
    return index % 2 === 0
      ? `198.51.${String(high)}.${String(low)}:${String(1000 + low)}`
      : `n${String(index)}.example`;
  });
  const tookMs: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    tookMs.push(await one.apply('enforce', [...rules, `${outside.publicAddress}:22`]));
  }
  const median = tookMs.toSorted((a, b) => a - b)[3];
  process.stdout.write(`1,000 rules in force after ${String(Math.round(median ?? 0))} ms (median of 7)\n`);
  const probes: Probe[] = [
    { kind: 'tcp', to: outside.publicAddress, port: 22 },
    { kind: 'tcp', to: outside.publicAddress, port: 23 },
  ];
  const results = await one.guest.probe(probes);
  expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ECONNREFUSED']);
});
