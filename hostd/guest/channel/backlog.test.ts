import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';

const step = fc.oneof(
  fc.record({ push: fc.constantFrom(1, 2), bytes: fc.integer({ min: 1, max: 100 }), pooled: fc.boolean() }),
  fc.record({ push: fc.constantFrom(1, 2), bytes: fc.integer({ min: 1, max: 70_000 }), pooled: fc.boolean() }),
  fc.constant('shift' as const),
);

test('what goes in comes out, in order, runs of a channel merged and at most 64 KiB long', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const backlog = new Backlog();
      const into: Buffer[][] = [[], [], []];
      const out: Buffer[][] = [[], [], []];
      const order: number[] = [];
      let fill = 0;
      const shift = (): boolean => {
        const piece = backlog.shift();
        if (piece === undefined) return false;
        expect(piece.bytes.length).toBeLessThanOrEqual(65536);
        out[piece.channel]?.push(piece.bytes);
        order.push(piece.channel);
        return true;
      };
      for (const action of steps) {
        if (action === 'shift') {
          shift();
          continue;
        }
        fill = (fill + 1) % 256;
        const bytes = action.pooled
          ? Buffer.allocUnsafe(action.bytes).fill(fill)
          : Buffer.alloc(action.bytes * 10, fill).subarray(0, action.bytes);
        backlog.push(action.push, bytes);
        into[action.push]?.push(bytes);
      }
      while (shift());
      expect(backlog.lengthBytes).toBe(0);
      for (const channel of [1, 2])
        expect(Buffer.concat(out[channel] ?? []).equals(Buffer.concat(into[channel] ?? []))).toBe(true);
      if (!steps.includes('shift')) {
        const total = into.flat().reduce((sum, bytes) => sum + bytes.length, 0);
        const runs = order.filter((channel, index) => channel !== order[index - 1]).length;
        expect(order.length).toBeLessThanOrEqual(runs + Math.floor(total / 65536));
      }
    }),
    { numRuns: 60 },
  );
});

test('a hundred thousand single bytes of alternating channels stay cheap and come out right', () => {
  const backlog = new Backlog();
  const large = Buffer.alloc(65536);
  for (let index = 0; index < 100_000; index += 1) {
    large[0] = index % 251;
    backlog.push(1 + (index % 2), large.subarray(0, 1));
  }
  for (let index = 0; index < 100_000; index += 1) {
    const piece = backlog.shift();
    if (piece?.channel !== 1 + (index % 2) || piece.bytes[0] !== index % 251)
      throw new Error(`wrong at ${String(index)}`);
  }
  expect(backlog.shift()).toBeUndefined();
});
