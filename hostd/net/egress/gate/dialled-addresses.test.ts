import { expect, test } from 'vitest';
import type { TrackedFlow } from '../firewall/tracked-flows.ts';
import { DialledAddresses } from './dialled-addresses.ts';

const led = (address: string, seenPort: number, answeringPort: number): TrackedFlow => ({
  transport: 'tcp',
  address,
  port: 443,
  seenPort,
  answeringPort,
});

test('a connection is known by its port there and the listener’s', async () => {
  const flows = [led('203.0.113.1', 4000, 35_001), led('203.0.113.2', 4000, 35_002), led('203.0.113.3', 4001, 35_001)];
  const udp = { ...led('203.0.113.4', 4002, 35_001), transport: 'udp' as const };
  const dialled = new DialledAddresses(() => Promise.resolve([udp, ...flows]));
  const of = (fromPort: number, listenerPort: number) =>
    dialled.addresses({ sandboxId: 'sbx_one', fromPort, listenerPort });
  expect(await of(4000, 35_002)).toEqual(['203.0.113.2']);
  expect(await of(4001, 35_001)).toEqual(['203.0.113.3']);
  expect(await of(4002, 35_001)).toEqual([]);
  expect(await of(4001, 35_002)).toEqual([]);
});

test('however many ask, a sandbox’s connections are read once at a time, and not before the question', async () => {
  const reads: ((flows: readonly TrackedFlow[]) => void)[] = [];
  const dialled = new DialledAddresses(() => new Promise((resolve) => reads.push(resolve)));
  const ask = (fromPort: number) => dialled.addresses({ sandboxId: 'sbx_one', fromPort, listenerPort: 35_001 });
  const first = ask(4000);
  const later = [ask(4001), ask(4002)];
  expect(reads.length).toBe(1);
  reads[0]?.([led('203.0.113.1', 4000, 35_001), led('203.0.113.9', 4001, 35_001)]);
  expect(await first).toEqual(['203.0.113.1']);
  await new Promise(setImmediate);
  expect(reads.length).toBe(2);
  reads[1]?.([led('203.0.113.2', 4001, 35_001)]);
  expect(await Promise.all(later)).toEqual([['203.0.113.2'], []]);
});
