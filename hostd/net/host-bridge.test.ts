import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureForwarding, rivals, uplinkMtu } from './host-bridge.ts';
import { parseIpv4Network } from './ipv4.ts';
import { ScriptedRunner } from './testing/scripted-runner.ts';

const subnet = parseIpv4Network('10.83.0.0/16') ?? { base: 0, prefixLength: 0 };

test.for([
  ['a part of it', { dst: '10.83.4.0/24', dev: 'eth1' }, true],
  ['one address of it', { dst: '10.83.4.4', dev: 'eth1' }, true],
  ['the same, through a gateway', { dst: '10.83.0.0/16', gateway: '192.0.2.1' }, true],
  ['a wider network on a link', { dst: '10.0.0.0/8', dev: 'eth1' }, true],
  ['a wider network through a gateway', { dst: '10.0.0.0/8', gateway: '192.0.2.1' }, false],
  ['another network', { dst: '10.84.0.0/16', dev: 'eth1' }, false],
  ['the default', { dst: 'default', gateway: '192.0.2.1' }, false],
] as const)('a route to %s', ([, route, isRival]) => {
  expect(rivals(subnet, route)).toBe(isRival);
});

function host(routes: unknown, links: unknown): ScriptedRunner {
  return new ScriptedRunner((line) => ({ stdout: JSON.stringify(line.includes('route') ? routes : links) }));
}

const links = [
  { ifname: 'eth0', mtu: 1400 },
  { ifname: 'wide0', mtu: 9000 },
  { ifname: 'vpn0', mtu: 1280 },
];

test.for([
  ['one uplink', [{ dst: 'default', gateway: '192.0.2.1', dev: 'eth0' }], 1400],
  ['a jumbo uplink', [{ dst: 'default', dev: 'wide0' }], 1500],
  [
    'two uplinks',
    [
      { dst: 'default', dev: 'eth0' },
      { dst: 'default', dev: 'vpn0' },
    ],
    1280,
  ],
  ['several hops', [{ dst: 'default', nexthops: [{ dev: 'wide0' }, { dev: 'vpn0' }] }], 1280],
  ['a route with an MTU of its own', [{ dst: 'default', dev: 'eth0', metrics: [{ mtu: 1350 }] }], 1350],
  ['narrow routes elsewhere', [{ dst: '192.0.2.0/24', dev: 'vpn0' }], 1500],
  ['no uplink', [], 1500],
] as const)('the MTU with %s', async ([, routes, mtu]) => {
  expect(await uplinkMtu(host(routes, links))).toBe(mtu);
});

test('forwarding is only written where it is off', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-forward-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'ip_forward');
  await writeFile(path, '0\n');
  expect(await ensureForwarding(path)).toBe(true);
  expect(await readFile(path, 'utf8')).toBe('1\n');
  expect(await ensureForwarding(path)).toBe(false);
});
