import { expect, test } from 'vitest';
import { listOwnAddresses } from './ip-json.ts';
import { ScriptedRunner } from './testing/scripted-runner.ts';

test('own are all addresses of interfaces, each once, but loopback and link-local IPv6, which every host has', async () => {
  const links = [
    { ifname: 'lo', addr_info: [address('127.0.0.1', 'host'), address('10.5.5.5', 'host'), address('::1', 'host')] },
    { ifname: 'eth0', addr_info: [address('203.0.113.7', 'global'), address('fe80::1', 'link')] },
    { ifname: 'eth1', addr_info: [address('169.254.7.7', 'link'), address('2001:db8::7', 'global')] },
    { ifname: 'eth2', addr_info: [address('203.0.113.7', 'global'), { prefixlen: 24 }] },
  ];
  const runner = new ScriptedRunner(() => ({ stdout: JSON.stringify(links) }));
  expect(await listOwnAddresses(runner)).toEqual(['10.5.5.5', '169.254.7.7', '2001:db8::7', '203.0.113.7']);
});

function address(local: string, scope: string): object {
  return { local, prefixlen: 24, scope };
}
