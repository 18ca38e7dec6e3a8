import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';
import type { OffshootEvent } from '../../hostd/contract/index.ts';
import type { HelperRole } from '../../hostd/net/egress/gate/messages.ts';
import { isAlive, signalProcess } from '../../hostd/platform/process-identity.ts';
import { allowedCases } from './allowed-cases.ts';
import { deniedCases } from './denied-cases.ts';
import { useEgressWorld } from './use-egress-world.ts';
import { GuestFlow } from './guest-flow.ts';
import { sees } from './guest-probe.ts';
import { at, batteryRules } from './outside-of-battery.ts';
import { cameOut, runCases } from './run-cases.ts';

/** Resolver and proxy die, hostd goes and comes back: nothing opens, and what is allowed goes on. */

const suite = useEgressWorld();
const smoke = [...allowedCases, ...deniedCases].filter((one) => one.smoke === true);
/** What needs the helper that is gone. */
const byHelper: Record<HelperRole, readonly string[]> = {
  proxy: ['https', 'http'],
  resolver: ['https', 'http', 'ssh by name', 'udp by name'],
};
/** Its rule is an address. */
const needsNoHelper = { kind: 'tcp', to: at.network, port: 5000 } as const;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.world.create({ egress: [...batteryRules] });
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
}, 300_000);

async function helperEvents(afterId: number): Promise<OffshootEvent[]> {
  const events: OffshootEvent[] = [];
  for await (const event of suite.world.client.events({ afterId })) {
    if (event.type === 'host.egress-helper') events.push(event);
  }
  return events;
}

async function lastEventId(): Promise<number> {
  let last = 0;
  for await (const { id } of suite.world.client.events()) last = id;
  return last;
}

test.each<HelperRole>(['proxy', 'resolver'])(
  'while there is no %s nothing passes that needs it; it is started again, and told of',
  async (role) => {
    const { hostd, outside } = suite.world;
    const afterId = await lastEventId();
    const helper = await suite.world.helper(role);
    const needing = smoke.filter(({ name }) => byHelper[role].includes(name));
    const denied = smoke.filter((one) => one.denied !== undefined);
    const seenBefore = outside.arrivals.length;
    const arrived = () => outside.arrivals.slice(seenBefore).map(({ to, port }) => `${to}:${String(port)}`);
    const probing = sees(
      sandbox,
      [...needing, ...denied].map((one) => ({ ...one.probe, timeoutSeconds: 3 })),
      { around: needsNoHelper, afterSeconds: 3, atOnce: 16 },
    );
    await expect.poll(arrived, { timeout: 60_000 }).toHaveLength(1);
    // Stopped it can't start another.
    process.kill(hostd.pid ?? 0, 'SIGSTOP');
    try {
      await signalProcess(helper, 'SIGKILL');
      await expect.poll(arrived, { timeout: 60_000 }).toHaveLength(2);
    } finally {
      process.kill(hostd.pid ?? 0, 'SIGCONT');
    }
    const passed = (await probing).filter((seen) => /^(200|ok|NOERROR)/.test(seen));
    expect(passed).toEqual([]);
    const { to, port } = needsNoHelper;
    expect(arrived()).toEqual([`${to}:${String(port)}`, `${to}:${String(port)}`]);
    expect(await isAlive(helper)).toBe(false);
    await expect
      .poll(
        async () =>
          (await helperEvents(afterId)).map(({ data }) => `${String(data['helper'])} ${String(data['what'])}`),
        {
          timeout: 30_000,
        },
      )
      .toEqual(expect.arrayContaining([`${role} died`, `${role} started`]));
    expect(await runCases(suite.world, sandbox, smoke, { checkReport: false })).toEqual([]);
  },
  300_000,
);

test('a resolver that hangs does not keep open what a change takes away, and what stays is open after', async () => {
  const { world } = suite;
  const flow = await GuestFlow.tcp(sandbox, 'ssh.example', 9100);
  const resolver = await world.helper('resolver');
  await signalProcess(resolver, 'SIGSTOP');
  const askedMs = performance.now();
  const changing = sandbox.setEgress(
    batteryRules.map((rule) => (rule === 'ssh.example:22,9100' ? 'ssh.example:22' : rule)),
  );
  const { atMs } = await flow.ended;
  await signalProcess(resolver, 'SIGCONT');
  await changing;
  expect(atMs - askedMs).toBeLessThan(1000);
  expect(await sees(sandbox, [{ kind: 'tcp', to: 'ssh.example', port: 22 }])).toEqual(['ok SSH-2.0-double']);
  await sandbox.setEgress([...batteryRules]);
}, 120_000);

test('helpers that are killed again and again open nothing', async () => {
  const seenBefore = suite.world.outside.arrivals.length;
  const denied = smoke.filter((one) => one.denied !== undefined);
  let isDone = false;
  const probing = sees(
    sandbox,
    Array.from({ length: 12 }, () => denied.map((one) => ({ ...one.probe, timeoutSeconds: 3 }))).flat(),
    { atOnce: 4 },
  ).finally(() => (isDone = true));
  while (!isDone) {
    for (const role of ['proxy', 'resolver'] as const) await signalProcess(await suite.world.helper(role), 'SIGKILL');
    await sleep(700);
  }
  expect((await probing).filter((seen) => /^(200|ok|NOERROR)/.test(seen))).toEqual([]);
  expect(await cameOut(suite.world, seenBefore, () => false)).toEqual([]);
  await expect
    .poll(() => runCases(suite.world, sandbox, smoke, { checkReport: false }), { timeout: 60_000 })
    .toEqual([]);
});

test('connections are made all the time while hostd is killed and comes back', async () => {
  const { hostd } = suite.world;
  const [https, ssh] = allowedCases.filter(({ name }) => name === 'https' || name === 'ssh by name');
  if (https === undefined || ssh === undefined) throw new Error('there are such cases');
  const wanted = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? https : ssh));
  const probing = sees(
    sandbox,
    wanted.map((one) => one.probe),
    { atOnce: 1 },
  );
  await hostd.kill();
  await hostd.start();
  expect(await probing).toEqual(wanted.map((one) => one.sees));
});

test('downloads go on while hostd is killed and comes back, and so do its helpers', async () => {
  const { hostd } = suite.world;
  const before = await Promise.all((['proxy', 'resolver'] as const).map((role) => suite.world.helper(role)));
  const flows = [
    await GuestFlow.https(sandbox, 'allowed.example', 1200),
    await GuestFlow.tcp(sandbox, 'ssh.example', 9100),
  ];
  await hostd.kill();
  await sleep(1000);
  await hostd.start();
  for (const flow of flows) await flow.moves();
  const [byProxy, byPin] = flows;
  expect((await byProxy?.ended)?.exitCode).toBe(0);
  expect(byProxy?.bytes).toBe(1200 * 64);
  await byPin?.moves();
  await byPin?.kill();
  const after = await Promise.all((['proxy', 'resolver'] as const).map((role) => suite.world.helper(role)));
  expect(after).toEqual(before);
});
