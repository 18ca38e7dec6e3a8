import { expect, test } from 'vitest';
import { networkConfigSchema, parseUpstream } from './config.ts';

test('without settings a host gets the documented defaults', () => {
  expect(networkConfigSchema.parse({})).toEqual({
    instance: 'main',
    subnet: { base: 0x0a53_0000, prefixLength: 16 },
    dnsPort: 53,
    policyDnsPort: 1053,
    resolvConf: '/etc/resolv.conf',
    checkSeconds: 30,
    maxFlowsPerSandbox: 8192,
  });
});

test.for([
  ['not a subnet at all', 'home'],
  ['bits behind the prefix', '10.83.0.1/16'],
  ['too small', '10.83.0.0/29'],
  ['too large', '10.0.0.0/7'],
  ['someone else’s addresses', '203.0.112.0/20'],
  ['loopback', '127.0.0.0/16'],
  ['partly outside the private range', '172.0.0.0/8'],
] as const)('a subnet that is %s is refused', ([, subnet]) => {
  expect(networkConfigSchema.safeParse({ subnet }).success).toBe(false);
});

test.for(['10.99.0.0/24', '172.16.0.0/12', '192.168.7.0/28', '100.64.0.0/16', '198.18.0.0/24'])(
  '%s is taken',
  (subnet) => {
    expect(networkConfigSchema.safeParse({ subnet }).success).toBe(true);
  },
);

test.for(['Main', 'with-dash', '', 'sevenxx', 'ü', 'a/b'])('%j is no instance name', (instance) => {
  expect(networkConfigSchema.safeParse({ instance }).success).toBe(false);
});

test('unknown settings, odd ports and MTUs are refused', () => {
  expect(networkConfigSchema.safeParse({ subnett: '10.0.0.0/16' }).success).toBe(false);
  for (const dnsPort of [0, 65_536, 1.5, '53', Number.NaN]) {
    expect(networkConfigSchema.safeParse({ dnsPort }).success).toBe(false);
  }
  for (const mtu of [100, 10_000, -1]) expect(networkConfigSchema.safeParse({ mtu }).success).toBe(false);
});

test('DNS servers are addresses, with a port where it is not 53', () => {
  expect(parseUpstream('192.0.2.1')).toEqual({ address: '192.0.2.1', port: 53 });
  expect(parseUpstream('192.0.2.1:5353')).toEqual({ address: '192.0.2.1', port: 5353 });
  expect(parseUpstream('::1')).toEqual({ address: '::1', port: 53 });
  expect(parseUpstream('[2001:db8::1]:5353')).toEqual({ address: '2001:db8::1', port: 5353 });
  expect(parseUpstream('fe80::1%eth0')).toEqual({ address: 'fe80::1%eth0', port: 53 });
  for (const text of ['', 'dns.example', '192.0.2.1:', '192.0.2.1:0', '192.0.2.1:99999', '[192.0.2.1]:53', '[::1]']) {
    expect(parseUpstream(text)).toBeUndefined();
  }
  expect(networkConfigSchema.safeParse({ dnsUpstreams: [] }).success).toBe(false);
  expect(networkConfigSchema.safeParse({ dnsUpstreams: ['dns.example'] }).success).toBe(false);
});

test('names are forwarded and answered by policy on two ports', () => {
  expect(networkConfigSchema.safeParse({ dnsPort: 1053 }).success).toBe(false);
  expect(networkConfigSchema.safeParse({ dnsPort: 1053, policyDnsPort: 53 }).success).toBe(true);
});
