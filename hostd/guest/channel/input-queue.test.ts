import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProtocolViolation } from '../protocol/frame.ts';
import { InputQueue } from './input-queue.ts';

test('whatever is pushed, taken, acknowledged and cut: the guest gets every byte once, within its limit', () => {
  const action = fc.oneof(
    fc.record({ push: fc.integer({ min: 1, max: 30_000 }) }),
    fc.record({ acknowledge: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const queue = new InputQueue(0);
      const pushed = Buffer.alloc(2_000_000);
      const received = Buffer.alloc(2_000_000);
      let pushedBytes = 0;
      let receivedBytes = 0;
      let limit = 65536;
      const take = (): void => {
        const batch = queue.take();
        if (batch === undefined) return;
        expect(batch.offset).toBe(receivedBytes);
        for (const part of batch.parts) receivedBytes += part.copy(received, receivedBytes);
        expect(receivedBytes).toBeLessThanOrEqual(limit);
      };
      const acknowledge = (fraction: number): void => {
        const consumed = queue.consumedBytes + Math.floor(fraction * (receivedBytes - queue.consumedBytes));
        limit = consumed + 65536;
        queue.acknowledge(consumed, limit);
      };
      for (const step of actions) {
        if ('push' in step) {
          const bytes = Buffer.alloc(step.push, pushedBytes % 256);
          pushedBytes += bytes.copy(pushed, pushedBytes);
          void queue.push(bytes);
        } else if ('acknowledge' in step) acknowledge(step.acknowledge);
        else {
          receivedBytes = queue.consumedBytes + Math.floor(step.cut * (receivedBytes - queue.consumedBytes));
          limit = receivedBytes + 65536;
          queue.resume(receivedBytes, limit);
        }
        take();
      }
      while (receivedBytes < pushedBytes) {
        acknowledge(1);
        take();
      }
      acknowledge(1);
      expect(received.equals(pushed)).toBe(true);
      expect(queue.backlogBytes).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('a push resolves when all of it was consumed; a failure rejects the rest', async () => {
  const queue = new InputQueue(0);
  const settled: string[] = [];
  const first = queue.push(Buffer.alloc(10)).then(() => settled.push('first'));
  const second = queue.push(Buffer.alloc(10)).catch((error: Error) => settled.push(error.message));
  queue.take();
  queue.acknowledge(9, 100);
  await Promise.resolve();
  expect(settled).toEqual([]);
  queue.acknowledge(10, 100);
  await first;
  queue.fail(new Error('gone'));
  await second;
  expect(settled).toEqual(['first', 'gone']);
  await queue.push(Buffer.alloc(0));
});

test('EOF may go only when all has been sent, again after a cut', () => {
  const queue = new InputQueue(0);
  void queue.push(Buffer.alloc(70_000));
  queue.close();
  queue.take();
  expect(queue.finalOffset).toBeUndefined();
  queue.acknowledge(10_000, 80_000);
  queue.take();
  expect(queue.finalOffset).toBe(70_000);
  queue.resume(20_000, 80_000);
  expect(queue.finalOffset).toBeUndefined();
  queue.take();
  expect(queue.finalOffset).toBe(70_000);
});

test('a guest that claims what it was never sent, or forgets what it had, breaks the protocol', () => {
  const queue = new InputQueue(0);
  void queue.push(Buffer.alloc(100));
  queue.take();
  queue.acknowledge(50, 1000);
  expect(() => queue.acknowledge(101, 1000)).toThrow(ProtocolViolation);
  expect(() => queue.resume(101, 1000)).toThrow(ProtocolViolation);
  expect(() => queue.resume(49, 1000)).toThrow(ProtocolViolation);
  queue.acknowledge(40, 1000);
  expect(queue.consumedBytes).toBe(50);
});

test('an absurd limit does not put more than 1 MiB on its way', () => {
  const queue = new InputQueue(0);
  void queue.push(Buffer.alloc(5 * 1024 * 1024));
  queue.take();
  queue.acknowledge(10, Number.MAX_SAFE_INTEGER);
  queue.take();
  expect(queue.take()).toBeUndefined();
  expect(() => queue.acknowledge(10 + 1024 * 1024 + 1, Number.MAX_SAFE_INTEGER)).toThrow(ProtocolViolation);
});
