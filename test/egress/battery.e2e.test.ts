import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';
import { allowedCases } from './allowed-cases.ts';
import { deniedCases } from './denied-cases.ts';
import { useEgressWorld } from './use-egress-world.ts';
import { sees } from './guest-probe.ts';
import { at, batteryRules } from './outside-of-battery.ts';
import { runCases } from './run-cases.ts';

/** Real sandboxes on a host without uplink: what a policy names is reached, nothing else is, and the report says why. */

const suite = useEgressWorld();
const cases = [...allowedCases, ...deniedCases];
const smoke = cases.filter((one) => one.smoke === true);
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.world.create(
    { egress: [...batteryRules] },
    {
      hosts: [`${at.evil} spoofed.example`, `${at.web} spoofer.example`],
      addresses: ['203.0.113.200', '10.86.0.9'],
    },
  );
  const neighbour = await suite.world.create({ egress: [] });
  for (const one of [sandbox, neighbour]) await serveInside(one);
}, 300_000);

/** What no other sandbox may reach. */
async function serveInside(guest: Sandbox): Promise<void> {
  await guest.spawn(['python3', '-m', 'http.server', '8000']);
  const isThere = 'for i in $(seq 200); do (exec 3<>/dev/tcp/127.0.0.1/8000) && exit; sleep 0.1; done; exit 1';
  await guest.exec(['bash', '-c', isThere], { check: true });
}

/** As the report has them; each run of the smoke makes one. */
async function sshConnections(): Promise<number> {
  const { allowed } = await sandbox.egressReport();
  return allowed.find(({ name, port }) => name === 'ssh.example' && port === 22)?.count ?? 0;
}

test('the smoke is ten cases', () => {
  expect(smoke.length).toBe(10);
});

test('as root', async () => {
  expect(await runCases(suite.world, sandbox, cases)).toEqual([]);
});

test('as an ordinary user', async () => {
  expect(await runCases(suite.world, sandbox, cases, { user: 'nobody' })).toEqual([]);
});

test('the report has what passed, with bytes, and a list to paste', async () => {
  const report = await sandbox.egressReport();
  const web = report.allowed.find(({ name, port }) => name === 'allowed.example' && port === 443);
  expect(web?.bytesIn).toBeGreaterThan(2 * 6 * 1024 * 1024);
  expect(web?.bytesOut).toBeGreaterThan(2 * 6 * 1024 * 1024);
  expect(report.policy).toMatchObject({ mode: 'enforce', revision: 1 });
  expect(report.deniedCount).toBeGreaterThanOrEqual(report.denied.length);
  expect(report.suggestedAllow).toEqual(expect.arrayContaining(['allowed.example:443', 'other.example:443']));
  expect(report.suggestedAllow.filter((rule) => rule.startsWith(at.metadata) || rule.startsWith('10.'))).toEqual([]);
});

test('the report has what passed past the proxy, under the name or address that a rule opened, with about its bytes', async () => {
  const passed = async () => {
    const { allowed } = await sandbox.egressReport();
    return (name: string | null, port: number, address: string | null = null) =>
      allowed.find((row) => row.name === name && row.port === port && (name !== null || row.address === address));
  };
  const before = await passed();
  expect(before('ssh.example', 22)).toMatchObject({ address: at.ssh, transport: 'tcp' });
  expect(before(null, 5000, at.network)).toMatchObject({ transport: 'tcp' });
  // An address that a rule opens and a name that another one opens it for: the name tells more.
  expect(before('echo.example', 7)).toMatchObject({ address: at.udp, transport: 'udp' });
  const bytes = 1000;
  const times = 5;
  const again = <Probe>(one: Probe) => Array.from({ length: times }, () => one);
  await sees(sandbox, [
    ...again({ kind: 'tcp', to: 'ssh.example', port: 22 } as const),
    ...again({ kind: 'tcp', to: at.network, port: 5000 } as const),
    ...again({ kind: 'udp', to: at.udp, port: 7, bytes } as const),
  ]);
  const after = await passed();
  const grown = (name: string | null, port: number, address: string | null = null) => {
    const [one, other] = [before(name, port, address), after(name, port, address)];
    if (one === undefined || other === undefined) throw new Error(`no row of ${String(name ?? address)}`);
    return {
      count: other.count - one.count,
      bytesIn: other.bytesIn - one.bytesIn,
      bytesOut: other.bytesOut - one.bytesOut,
    };
  };
  // Handshake, greeting and end, with what acknowledges them.
  for (const row of [grown('ssh.example', 22), grown(null, 5000, at.network)]) {
    expect(row.count).toBe(times);
    for (const counted of [row.bytesIn, row.bytesOut]) {
      expect(counted).toBeGreaterThan(times * 3 * 40);
      expect(counted).toBeLessThan(times * (12 * 60 + 100));
    }
  }
  const headers = 20 + 8;
  const echoed = times * (bytes + headers);
  const { bytesIn, ...sent } = grown('echo.example', 7);
  expect(sent).toEqual({ count: times, bytesOut: echoed });
  // It answers with two addresses in front.
  expect(bytesIn).toBeGreaterThan(echoed + times * 2 * 8);
  expect(bytesIn).toBeLessThan(echoed + times * 2 * 17);
  const { suggestedAllow } = await sandbox.egressReport();
  expect(suggestedAllow).toEqual(expect.arrayContaining(['ssh.example:22', '192.0.2.64/28:5000', `udp:${at.udp}:7`]));
});

test('a fork has the policy and the pins of its source, and does not reach it', async () => {
  expect(await sees(sandbox, [{ kind: 'tcp', to: 'ssh.example', port: 22 }])).toEqual(['ok SSH-2.0-double']);
  const copy = suite.world.adopt(await sandbox.fork());
  const first = await sees(copy, [{ kind: 'tcp', to: at.ssh, port: 22 }]);
  expect(first).toEqual(['ok SSH-2.0-double']);
  expect((await copy.egressReport()).allowed).toMatchObject([
    { name: 'ssh.example', address: at.ssh, port: 22, count: 1 },
  ]);
  expect(
    await runCases(suite.world, copy, [...smoke, ...deniedCases.filter(({ name }) => name.startsWith('sandboxes'))]),
  ).toEqual([]);
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
  await copy.stop();
});

test('a sandbox made from a snapshot has the policy and the pins of then', async () => {
  expect(await sees(sandbox, [{ kind: 'tcp', to: 'ssh.example', port: 22 }])).toEqual(['ok SSH-2.0-double']);
  await sandbox.snapshot({ name: 'battery' });
  const restored = await suite.world.create({ snapshot: 'battery' });
  expect(restored.info.egress).toMatchObject({ mode: 'enforce', allow: sandbox.info.egress.allow });
  expect(await sees(restored, [{ kind: 'tcp', to: at.ssh, port: 22 }])).toEqual(['ok SSH-2.0-double']);
  expect(await runCases(suite.world, restored, smoke)).toEqual([]);
  await restored.stop();
  await suite.world.client.snapshots.remove('battery');
});

test('after a pause on disk', async () => {
  const before = await sshConnections();
  await sandbox.pause({ hibernateAfterSeconds: 0 });
  await sandbox.resume();
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
  expect(await sshConnections()).toBe(before + 1);
});

test('while hostd is away, and after it came back', async () => {
  const { hostd } = suite.world;
  const before = await sshConnections();
  const probing = runCases(suite.world, sandbox, smoke, { afterSeconds: 2 });
  await sleep(1500);
  await hostd.kill();
  await sleep(4000);
  await hostd.start();
  expect(await probing).toEqual([]);
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
  expect(await sshConnections()).toBe(before + 2);
});
