import { expect, test } from 'vitest';
import { parseTrackedFlow } from './tracked-flows.ts';

const tcp = (state: string): string =>
  `ipv4     2 tcp      6 431999 ${state} src=10.83.255.254 dst=203.0.113.7 sport=40000 dport=9100 src=203.0.113.7 dst=10.83.0.2 sport=9100 dport=40000 [ASSURED] mark=0 zone=0 use=2`;

test('the first addresses of a line are those that the guest used', () => {
  expect(parseTrackedFlow(tcp('ESTABLISHED'))).toEqual({
    transport: 'tcp',
    address: '203.0.113.7',
    port: 9100,
    seenPort: 40000,
    answeringPort: 9100,
  });
  const udp =
    'ipv4     2 udp      17 28 src=10.83.255.254 dst=192.0.2.1 sport=5 dport=7 [UNREPLIED] src=192.0.2.1 dst=10.83.0.2 sport=7 dport=5 mark=0 zone=0 use=2';
  expect(parseTrackedFlow(udp)).toMatchObject({ transport: 'udp', address: '192.0.2.1', port: 7 });
});

test('where a connection is led, and by which port it is known there', () => {
  const led =
    'ipv4     2 tcp      6 119 ESTABLISHED src=10.83.255.254 dst=203.0.113.7 sport=40000 dport=443 src=10.83.255.251 dst=10.83.0.2 sport=35001 dport=61022 [ASSURED] mark=0 zone=0 use=2';
  expect(parseTrackedFlow(led)).toEqual({
    transport: 'tcp',
    address: '203.0.113.7',
    port: 443,
    seenPort: 61_022,
    answeringPort: 35_001,
  });
});

test('connections that are over, or never began, and other lines count for nothing', () => {
  for (const state of ['TIME_WAIT', 'CLOSE', 'SYN_SENT']) expect(parseTrackedFlow(tcp(state))).toBeUndefined();
  for (const state of ['CLOSE_WAIT', 'FIN_WAIT', 'SYN_RECV']) expect(parseTrackedFlow(tcp(state))).toBeDefined();
  expect(parseTrackedFlow('')).toBeUndefined();
  expect(parseTrackedFlow('ipv4 2 icmp 1 29 src=10.83.255.254 dst=192.0.2.1 type=8 code=0 id=1')).toBeUndefined();
  expect(parseTrackedFlow('ipv6 10 tcp 6 9 ESTABLISHED src=::1 dst=::2 sport=1 dport=2')).toBeUndefined();
});
