import { expect, test } from 'vitest';
import { parsePolicy } from './egress/policy/parse-rules.ts';
import { hostOpenings } from './host-openings.ts';

const own = ['10.83.0.1', '203.0.113.7', '2001:db8::7'];
const openings = (mode: 'enforce' | 'audit' | 'open', allow: string) =>
  hostOpenings('10.83.0.2', parsePolicy(mode, allow), own);

test('a rule for an address of the host opens it on its port and transport, in each mode that has rules', () => {
  const allow = '10.83.0.1:5432,5433 203.0.113.7/32:443 udp:203.0.113.7:7 203.0.113.7:* 10.83.0.1:5432';
  for (const mode of ['enforce', 'audit', 'open'] as const) {
    expect(openings(mode, allow)).toEqual([
      'opened_ports { 10.83.0.2 . 10.83.0.1 . tcp . 5432 }',
      'opened_ports { 10.83.0.2 . 10.83.0.1 . tcp . 5433 }',
      'opened_ports { 10.83.0.2 . 203.0.113.7 . tcp . 443 }',
      'opened_ports { 10.83.0.2 . 203.0.113.7 . udp . 7 }',
      'opened_hosts { 10.83.0.2 . 203.0.113.7 . tcp }',
    ]);
  }
});

test('networks around it, names, other addresses and IPv6 open nothing', () => {
  const allow =
    '10.83.0.0/31:22 203.0.113.0/24:22 0.0.0.0/0:* a.example:22 10.83.0.3:22 203.0.113.8:22 [2001:db8::7]:22';
  expect(openings('enforce', allow)).toEqual([]);
});
