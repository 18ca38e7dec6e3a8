import { beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';
import { GuestFlow } from './guest-flow.ts';
import { sees, type GuestProbe } from './guest-probe.ts';
import { at } from './outside-of-battery.ts';
import { useEgressWorld } from './use-egress-world.ts';

/** A service on the host itself, for the sandbox whose rules name it. */

const suite = useEgressWorld();
const bridge = '10.86.0.1';
const rules = [`${at.host}:7443,443`, `${bridge}:7443`, 'on-host.example:7443'];
const withDrip = [...rules, `${at.host}:9100`];
let sandbox: Sandbox;
let other: Sandbox;

beforeAll(async () => {
  sandbox = await suite.world.create({ egress: rules });
  other = await suite.world.create({});
}, 300_000);

const tcp = (to: string, port: number): GuestProbe => ({ kind: 'tcp', to, port });
const named = [tcp(at.host, 7443), tcp(at.host, 443), tcp(bridge, 7443)];
const reached = named.map(() => expect.stringMatching(/^ok hello from /) as string);
const refused = named.map(() => 'refused');

test('what a rule names is reached past the proxy; other ports are not, nor is anything by a sandbox without the rule', async () => {
  expect(await sees(sandbox, named)).toEqual(reached);
  const closed = [tcp(at.host, 22), tcp(bridge, 22), tcp(bridge, 53), tcp('@gateway', 7443)];
  expect(await sees(sandbox, closed)).toEqual(closed.map(() => 'refused'));
  expect(await sees(other, named)).toEqual(refused);
  const { denied } = await sandbox.egressReport();
  expect(denied).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ address: at.host, port: 22, reason: 'port', blocked: true }),
      expect.objectContaining({ address: bridge, port: 22, reason: 'port', blocked: true }),
    ]),
  );
  const report = await other.egressReport();
  expect(report.denied).toContainEqual(
    expect.objectContaining({ address: at.host, port: 7443, reason: 'private-range', blocked: true }),
  );
  expect(report.suggestedAllow.filter((rule) => rule.startsWith(at.host) || rule.startsWith(bridge))).toEqual([]);
});

test('a name that leads to the host resolves where a rule names the address too', async () => {
  expect(await sees(sandbox, [tcp('on-host.example', 7443)])).toEqual([
    expect.stringMatching(`^ok hello from ${bridge}`),
  ]);
  expect(await sees(other, [{ kind: 'lookup', name: 'on-host.example' }])).toEqual(['no-name']);
});

test('a rule that goes cuts the connection by it within a second', async () => {
  await sandbox.setEgress(withDrip);
  const flow = await GuestFlow.tcp(sandbox, at.host, 9100);
  const startedMs = performance.now();
  await sandbox.setEgress(rules);
  expect((await flow.ended).atMs - startedMs).toBeLessThan(1000);
  expect(await sees(sandbox, [tcp(at.host, 9100), ...named])).toEqual(['refused', ...reached]);
});

test('a copy has it too; the next sandbox in its place does not', async () => {
  const copy = suite.world.adopt(await sandbox.fork());
  expect(await sees(copy, named)).toEqual(reached);
  await copy.stop();
  const next = await suite.world.create({ egress: { mode: 'open' } });
  expect(await sees(next, named)).toEqual(refused);
  await next.stop();
});

test('while hostd is killed and comes back, connections go on and nothing opens to others', async () => {
  const { hostd } = suite.world;
  await sandbox.setEgress(withDrip);
  const flow = await GuestFlow.tcp(sandbox, at.host, 9100);
  const trying = sees(other, Array.from({ length: 60 }, () => named).flat(), { atOnce: 2 });
  await hostd.kill();
  await hostd.start();
  await flow.moves();
  expect(new Set(await trying)).toEqual(new Set(['refused']));
  expect(await sees(sandbox, named)).toEqual(reached);
  const startedMs = performance.now();
  await sandbox.setEgress([]);
  expect((await flow.ended).atMs - startedMs).toBeLessThan(1000);
  expect(await sees(sandbox, named)).toEqual(refused);
});
