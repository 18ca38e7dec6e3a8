import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { isAlive, processIdentitySchema, type ProcessIdentity } from '../platform/process-identity.ts';
import { gateFolder, helperFiles } from './egress/gate/helper-files.ts';
import type { HelperRole } from './egress/gate/messages.ts';
import { freshInstance, Lab, testUid } from './testing/lab.ts';
import type { Probe, ProbeResult } from './testing/probe.ts';
import type { RemoteNetwork } from './testing/remote-network.ts';
import type { StandInGuest } from './testing/stand-in-guest.ts';

/** Resolver and proxy as they are, with guests that are none. */

const instance = freshInstance();
let lab: Lab;
let state: string;
let network: RemoteNetwork;

beforeAll(async () => {
  lab = await Lab.open();
  state = await mkdtemp(join(tmpdir(), 'offshoot-helpers-'));
  network = lab.network({ instance, checkSeconds: 0.3 }, { helpersIn: state });
  await network.start();
});

afterAll(async () => {
  await network.stop(false);
  await lab.close();
  await rm(state, { recursive: true });
});

async function helper(role: HelperRole): Promise<ProcessIdentity> {
  const { identity } = helperFiles(gateFolder(state), role);
  return processIdentitySchema.parse(JSON.parse(await readFile(identity, 'utf8')));
}

/** By way of the proxy, which in audit mode passes on what names nothing. */
const byProxy: Probe = { kind: 'tcp', to: outside.publicAddress, port: 80, timeoutMs: 5000 };

async function passes(guest: StandInGuest): Promise<boolean> {
  const [result] = await guest.probe([byProxy]);
  return result?.text.includes(`hello from ${outside.publicAddress} to ${outside.hostAddress}`) === true;
}

test('a proxy whose network namespace was deleted gives way to one in the next, at the next check', async () => {
  const { guest } = await lab.sandbox(network, 0, 'audit');
  expect(await passes(guest)).toBe(true);
  const before = await helper('proxy');
  await lab.world.run('ip', ['netns', 'del', `offshoot-${instance}-proxy`]);
  await expect.poll(() => isAlive(before), { timeout: 20_000 }).toBe(false);
  await expect.poll(() => passes(guest), { timeout: 20_000 }).toBe(true);
});

test('a slot has its next sandbox once a resolver that hung has forgotten the one before', async () => {
  const made = await lab.sandbox(network, 1, 'enforce', ['public.example:22']);
  const ssh: Probe = { kind: 'tcp', to: outside.publicAddress, port: 22 };
  const named: Probe = { kind: 'dns-udp', to: (await network.facts()).link.gateway, port: 53 };
  const outcomes = (results: ProbeResult[]) => results.map(({ outcome, text }) => `${outcome} ${text.slice(0, 5)}`);
  expect(outcomes(await made.guest.probe([named]))).toEqual(['ok 0/1']);
  expect(outcomes(await made.guest.probe([ssh]))).toEqual(['ok hello']);
  const { pid } = await helper('resolver');
  process.kill(pid, 'SIGSTOP');
  let next: Promise<unknown>;
  try {
    await made.guest.unplug();
    await network.remove(1);
    next = network.create(1, testUid, 'enforce');
    await network.create(2, testUid, 'open');
    expect(await network.existing()).toEqual([0, 2]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await next;
  expect(await network.existing()).toEqual([0, 1, 2]);
});
