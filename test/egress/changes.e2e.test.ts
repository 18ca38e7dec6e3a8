import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';
import type { EgressPolicyInput } from '../../hostd/contract/index.ts';
import type { Arrival } from '../doubles/outside-servers.ts';
import { deniedCases } from './denied-cases.ts';
import { useEgressWorld } from './use-egress-world.ts';
import { GuestFlow } from './guest-flow.ts';
import { sees, type GuestProbe } from './guest-probe.ts';
import { at } from './outside-of-battery.ts';
import { cameOut } from './run-cases.ts';

const suite = useEgressWorld();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.world.create({});
}, 300_000);

const set = (policy: EgressPolicyInput) => sandbox.setEgress(policy);
const report = () => sandbox.egressReport();
const tls = (name: string): GuestProbe => ({ kind: 'tls', to: at.web, port: 443, sni: name });
const namelessProbes: GuestProbe[] = [
  { kind: 'tls', to: at.evil, port: 443 },
  { kind: 'bytes', to: at.evil, port: 443, base64: btoa('GET /who HTTP/1.0\r\n\r\n') },
  { kind: 'http', to: at.evil, port: 80, requests: ['GET /who HTTP/1.0\r\n\r\n'] },
];
const namelessSeen = [`200 ${at.evil}:443 ${at.evil} 1.1`, 'sent', expect.stringMatching(/^200/)];
const tcp = (to: string, port: number): GuestProbe => ({ kind: 'tcp', to, port });

test('without a policy it is audit: what is public is reached and recorded, what is closed is not', async () => {
  expect(sandbox.info.egress).toMatchObject({ mode: 'audit', allow: [] });
  const seen = await sees(sandbox, [
    { kind: 'tls', to: 'audited.example', port: 443, sni: 'audited.example' },
    tcp(at.network, 5000),
    { kind: 'udp', to: at.udp, port: 7 },
    tcp('ssh.example', 22),
    tcp(at.metadata, 80),
    tcp(at.host, 7443),
    { kind: 'lookup', name: 'rebind.example' },
  ]);
  expect(seen).toEqual([
    `200 ${at.evil}:443 audited.example 1.1`,
    expect.stringMatching(`^ok hello from ${at.network}`),
    `ok ${at.udp} 4`,
    'ok SSH-2.0-double',
    'refused',
    'refused',
    'no-name',
  ]);
  const { denied, suggestedAllow } = await report();
  expect(denied).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ reason: 'sni', name: 'audited.example', port: 443, blocked: false }),
      expect.objectContaining({ reason: 'address', address: at.network, port: 5000, blocked: false }),
      expect.objectContaining({ reason: 'address', address: at.udp, transport: 'udp', blocked: false }),
      expect.objectContaining({ reason: 'address', name: 'ssh.example', port: 22, blocked: false }),
      expect.objectContaining({ reason: 'private-range', address: at.metadata, port: 80, blocked: true }),
      expect.objectContaining({ reason: 'rebind', name: 'rebind.example', blocked: true }),
    ]),
  );
  for (const port of [5000, 7, 22]) {
    const row = denied.find((one) => one.port === port && !one.blocked);
    expect(Math.min(row?.bytesIn ?? 0, row?.bytesOut ?? 0)).toBeGreaterThan(28);
  }
  expect(suggestedAllow).toEqual(
    expect.arrayContaining(['audited.example:443', `${at.network}:5000`, `udp:${at.udp}:7`, 'ssh.example:22']),
  );
});

test('in audit what has no name goes where it was dialled, on ports 443 and 80 too', async () => {
  const seenBefore = suite.world.outside.arrivals.length;
  const seen = await sees(sandbox, namelessProbes);
  expect(seen).toEqual(namelessSeen);
  expect(suite.world.outside.arrivals.slice(seenBefore).filter(({ to }) => to !== at.evil)).toEqual([]);
  const closed = await sees(sandbox, [
    { kind: 'tls', to: at.metadata, port: 443 },
    { kind: 'http', to: at.intern, port: 80, requests: ['GET /who HTTP/1.0\r\n\r\n'] },
  ]);
  expect(closed).toEqual(['refused', 'refused']);
  const { denied, suggestedAllow } = await report();
  expect(denied).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ reason: 'no-name', address: at.evil, port: 443, blocked: false }),
      expect.objectContaining({ reason: 'protocol', address: at.evil, port: 443, blocked: false }),
      expect.objectContaining({ reason: 'no-name', address: at.evil, port: 80, blocked: false }),
    ]),
  );
  expect(suggestedAllow).toEqual(expect.arrayContaining([`${at.evil}:443`, `${at.evil}:80`]));
});

test('the list that audit suggests is enough to enforce', async () => {
  await set((await report()).suggestedAllow);
  const seen = await sees(sandbox, [
    { kind: 'tls', to: 'audited.example', port: 443, sni: 'audited.example' },
    tcp(at.network, 5000),
    tcp('ssh.example', 22),
    tcp(at.network, 5001),
    ...namelessProbes,
  ]);
  expect(seen).toEqual([
    `200 ${at.evil}:443 audited.example 1.1`,
    expect.stringMatching(`^ok hello from ${at.network}`),
    'ok SSH-2.0-double',
    'refused',
    ...namelessSeen,
  ]);
  const { allowed } = await report();
  expect(allowed).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: null, address: at.network, port: 5000, count: 1 }),
      expect.objectContaining({ name: 'ssh.example', address: at.ssh, port: 22, count: 1 }),
      expect.objectContaining({ name: null, address: at.evil, port: 443 }),
    ]),
  );
});

test('an empty list denies everything, at once', async () => {
  await set([]);
  const seenBefore = suite.world.outside.arrivals.length;
  const never = deniedCases.filter(({ denied }) => denied?.reason !== 'rebind' && denied?.reason !== 'port');
  const simple = never.filter(({ probe: { kind } }) => kind === 'tcp' || kind === 'udp' || kind === 'dns');
  expect(await probeSeen(simple.map((one) => one.probe))).toEqual(simple.map(() => 'denied'));
  const names = ['allowed.example', 'www.wild.example', 'plain.example'];
  expect(await sees(sandbox, names.map(tls))).toEqual(names.map(() => expect.stringMatching(/^(alert \w+|reset)$/)));
  expect(await sees(sandbox, [tcp(at.web, 22), tcp(at.network, 5000)])).toEqual(['refused', 'refused']);
  expect(await cameOut(suite.world, seenBefore, () => false)).toEqual([]);
});

/** Of what was seen, only whether something passed. */
async function probeSeen(probes: readonly GuestProbe[]): Promise<string[]> {
  const denials = /^(refused|unreachable|no-name|NXDOMAIN|NOTIMP|REFUSED|timeout|closed)$/;
  return (await sees(sandbox, probes)).map((seen) => (denials.test(seen) ? 'denied' : seen));
}

test('mode none does not even answer DNS, and nothing hangs', async () => {
  await set({ mode: 'none' });
  const seen = await sees(sandbox, [
    { kind: 'lookup', name: 'allowed.example' },
    tls('allowed.example'),
    tcp(at.evil, 9000),
  ]);
  expect(seen).toEqual([expect.stringMatching(/^(no-name|try-again)$/), 'refused', 'refused']);
});

test('a rule that goes cuts the downloads by it within a second, and no others', async () => {
  const kept = ['spoofed.example', 'ssh.example:9100'];
  await set(['allowed.example', `${at.ssh}:9100`, ...kept]);
  const [byProxy, stays, byPin] = await Promise.all([
    GuestFlow.https(sandbox, 'allowed.example'),
    GuestFlow.https(sandbox, 'spoofed.example'),
    GuestFlow.tcp(sandbox, 'ssh.example', 9100),
  ]);
  let startedMs = performance.now();
  await set(kept);
  expect((await byProxy.ended).atMs - startedMs).toBeLessThan(1000);
  await stays.moves();
  await byPin.moves();
  startedMs = performance.now();
  await set(['spoofed.example']);
  expect((await byPin.ended).atMs - startedMs).toBeLessThan(1000);
  await stays.moves();
  await stays.kill();
  const { denied } = await report();
  expect(denied).toContainEqual(expect.objectContaining({ name: 'allowed.example', reason: 'sni' }));
});

test('policies that change under a hundred connections let none through that neither allows, and leave alone what both allow', async () => {
  const policies = [
    ['race-both.example', 'race-a.example', 'ssh.example:22', `${at.network}:5000`],
    ['race-both.example', 'race-b.example', 'ssh.example:2222', `udp:${at.udp}:7`],
  ];
  const kinds = {
    always: [tls('race-both.example')],
    perhaps: [tls('race-a.example'), tls('race-b.example'), tcp('ssh.example', 22)],
    never: [
      tls('race-none.example'),
      tcp(at.network, 5001),
      tcp(at.evil, 22),
      lookup,
      { kind: 'udp', to: at.udp, port: 9 },
    ],
  } as const satisfies Record<string, readonly GuestProbe[]>;
  const probes = Array.from({ length: 100 }, (_, index) => {
    const kind = (['always', 'perhaps', 'never', 'never'] as const)[index % 4] ?? 'never';
    const some: readonly GuestProbe[] = kinds[kind];
    return { kind, probe: some[Math.floor(index / 4) % some.length] ?? lookup };
  });
  await set(policies[0] ?? []);
  const seenBefore = suite.world.outside.arrivals.length;
  let isDone = false;
  const probing = sees(
    sandbox,
    probes.map((one) => one.probe),
    { atOnce: 10 },
  ).finally(() => (isDone = true));
  let changes = 0;
  while (!isDone) {
    changes += 1;
    await set(policies[changes % 2] ?? []);
    await sleep(changes % 4 < 2 ? 0 : 200);
  }
  const passed = (await probing).map((seen, index) => [probes[index]?.kind, /^(200|ok)/.test(seen), seen] as const);
  expect(changes).toBeGreaterThan(4);
  expect(
    passed.filter(([kind, isPassed]) => (kind === 'never' && isPassed) || (kind === 'always' && !isPassed)),
  ).toEqual([]);
  expect(passed.some(([kind, isPassed]) => kind === 'perhaps' && isPassed)).toBe(true);
  expect(await cameOut(suite.world, seenBefore, isOfRace)).toEqual([]);
}, 240_000);

const lookup: GuestProbe = { kind: 'lookup', name: 'race-dns.example' };

function isOfRace({ protocol, to, port, name = '' }: Arrival): boolean {
  const names = ['race-a.example', 'race-b.example', 'race-both.example'];
  if (protocol === 'dns-udp' || protocol === 'dns-tcp') return [...names, 'ssh.example'].includes(name.toLowerCase());
  if (protocol === 'http' || protocol === 'https') return names.includes(name);
  return [`${at.web}:443`, `${at.ssh}:22`].includes(`${to}:${String(port)}`);
}

test('a change while it is paused holds when it runs again', async () => {
  await set(['allowed.example']);
  await sandbox.pause();
  await set(['spoofed.example']);
  await sandbox.resume();
  const seen = await sees(sandbox, [tls('allowed.example'), tls('spoofed.example')]);
  expect(seen).toEqual([expect.stringMatching(/^(alert access_denied|reset)$/), expect.stringMatching(/^200 /)]);
});

test('a sandbox that has ended still tells what it reached and was denied', async () => {
  await sandbox.stop();
  const { denied, allowed, policy } = await report();
  expect(policy.allow).toEqual(['spoofed.example:443']);
  expect(denied.map(({ name }) => name)).toContain('race-none.example');
  expect(allowed.map(({ name }) => name)).toContain('spoofed.example');
});
