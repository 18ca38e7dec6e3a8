import { expect, test } from 'vitest';
import { DnsCounters } from './observation.ts';

test('what is alike is counted, with the first and last time', () => {
  let wallMs = 1000;
  const counters = new DnsCounters(() => wallMs);
  const denied = {
    sandboxId: 'sbx_a',
    outcome: 'denied',
    reason: 'dns-name',
    name: 'evil.example',
    transport: 'udp',
  } as const;
  counters.record(denied);
  wallMs = 3000;
  counters.record(denied);
  counters.record({ ...denied, outcome: 'would-deny' });
  counters.record({ ...denied, reason: 'rebind', address: '10.0.0.1' });
  counters.record({ ...denied, sandboxId: 'sbx_b' });
  expect(counters.of('sbx_a')).toEqual([
    { ...denied, count: 2, firstMs: 1000, lastMs: 3000 },
    { ...denied, outcome: 'would-deny', count: 1, firstMs: 3000, lastMs: 3000 },
    { ...denied, reason: 'rebind', address: '10.0.0.1', count: 1, firstMs: 3000, lastMs: 3000 },
  ]);
  counters.forget('sbx_a');
  expect([counters.of('sbx_a'), counters.of('sbx_b').length]).toEqual([[], 1]);
});

test('a guest that makes up names fills no memory, and no denial is lost from the sum', () => {
  const counters = new DnsCounters(() => 0);
  const about = { sandboxId: 'sbx_a', outcome: 'denied', reason: 'dns-name', transport: 'udp' } as const;
  for (let index = 0; index < 5000; index += 1) counters.record({ ...about, name: `${String(index)}.tunnel.example` });
  for (let index = 0; index < 5000; index += 1) counters.record({ ...about, name: `x.${String(index)}.example` });
  counters.record({ ...about, name: '7.tunnel.example' });
  const counts = counters.of('sbx_a');
  expect(counts.length).toBeLessThanOrEqual(2001);
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(10_001);
  expect(counts.find(({ name }) => name === '*.tunnel.example')?.count).toBe(4000);
  expect(counts.find(({ name }) => name === '7.tunnel.example')?.count).toBe(2);
  expect(counts.find(({ name }) => name === '*')?.count).toBeGreaterThan(3000);
});
