import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { LongFlow } from './egress/firewall/testing/long-flow.ts';
import { openPolicyLab, type PolicyLab, type PolicySandbox } from './egress/firewall/testing/policy-lab.ts';

/** A guest that only reads is told that its connection was cut, though not everything arrives that tells it. */

const drips = 9100;
const bursts = 9101;
const address = outside.publicAddress;
const rules = [drips, bursts].map((port) => `${address}:${String(port)}`);
let here: PolicyLab;
let one: PolicySandbox;
const flows: LongFlow[] = [];

beforeAll(async () => {
  here = await openPolicyLab();
  const drip = { bytes: 1_000_000, everyMs: 15 };
  await here.lab.world.serve('internet', [
    { drip: { ...drip, port: drips } },
    { drip: { ...drip, port: bursts, atOnce: 100 } },
  ]);
  one = await here.sandbox(0);
});

afterEach(async () => {
  for (const flow of flows.splice(0)) flow.close();
  await loseNothing();
});

afterAll(async () => {
  await here.lab.close();
});

async function flowing(port: number, localPort?: number): Promise<LongFlow> {
  const flow = new LongFlow(one.guest.netns, 'tcp', address, port, localPort);
  flows.push(flow);
  expect(await flow.moves()).toBeDefined();
  return flow;
}

/** Resets to the guest get lost, as they do in a full queue. */
async function loseResets(limit = ''): Promise<void> {
  await one.guest.run('nft', ['add table ip loss']);
  await one.guest.run('nft', ['add chain ip loss arriving { type filter hook prerouting priority raw; }']);
  await one.guest.run('nft', [`add rule ip loss arriving tcp flags & rst == rst ${limit} drop`]);
}

async function loseNothing(): Promise<void> {
  await one.guest.run('nft', ['flush', 'ruleset']);
}

async function expectCut(flow: LongFlow): Promise<void> {
  const tookMs = await flow.ends();
  expect(flow.ended).toBe('ECONNRESET');
  expect(tookMs).toBeLessThan(1000);
}

test('a port that is used again and again is cut each time', async () => {
  for (let round = 0; round < 4; round += 1) {
    await one.apply('enforce', rules);
    const flow = await flowing(drips, 40_000);
    await one.apply('enforce', []);
    await expectCut(flow);
  }
});

test('resets that get lost are followed by others', async () => {
  await one.apply('enforce', rules);
  const flow = await flowing(drips);
  await loseResets('limit rate 1/minute burst 3 packets');
  await one.apply('enforce', []);
  await expectCut(flow);
});

test('so they are when much was on its way to the guest', async () => {
  await one.apply('enforce', rules);
  const flow = await flowing(bursts);
  for (let looks = 0; looks < 20; looks += 1) await flow.moves();
  await loseResets();
  await one.apply('enforce', []);
  await sleep(300);
  await loseNothing();
  await expectCut(flow);
});

test('changes leave alone what they still allow', async () => {
  await one.apply('enforce', rules);
  const kept = await Promise.all(Array.from({ length: 6 }, () => flowing(bursts)));
  const others = Array.from({ length: 300 }, (_, index) => `198.51.100.${String(index % 250)}:${String(1000 + index)}`);
  for (let changes = 0; changes < 40; changes += 1) await one.apply('enforce', [...rules, ...others]);
  expect(kept.map(({ ended }) => ended)).toEqual(kept.map(() => undefined));
  for (const flow of kept) expect(await flow.moves()).toBeDefined();
});
