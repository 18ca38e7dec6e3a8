import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputFrameParser } from './output-frames.ts';
import { outputFrame } from './testing/scripted-server.ts';

test('any chunking gives the same bytes per stream and the same end', () => {
  const frame = fc.record({ kind: fc.constantFrom(1 as const, 2 as const), bytes: fc.uint8Array({ maxLength: 40 }) });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (frames, cuts) => {
        const wire = Buffer.concat([
          ...frames.map(({ kind, bytes }) => outputFrame(kind, Buffer.from(bytes))),
          outputFrame(0, Buffer.alloc(0)),
          outputFrame(3, Buffer.from('{"done":true}')),
        ]);
        const parser = new OutputFrameParser();
        const got = { stdout: [] as Buffer[], stderr: [] as Buffer[], end: [] as Buffer[] };
        for (let at = 0, turn = 0; at < wire.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          for (const piece of parser.push(wire.subarray(at, at + size))) {
            if (piece.kind !== 'keep-alive' && piece.kind !== 'gap') got[piece.kind].push(Buffer.from(piece.bytes));
          }
          at += size;
        }
        const sent = (kind: number): Buffer =>
          Buffer.concat(frames.filter((one) => one.kind === kind).map((one) => Buffer.from(one.bytes)));
        expect(Buffer.concat(got.stdout)).toEqual(sent(1));
        expect(Buffer.concat(got.stderr)).toEqual(sent(2));
        expect(Buffer.concat(got.end).toString()).toBe('{"done":true}');
      },
    ),
  );
});

test('an unknown kind and an absurd length are refused', () => {
  const refused = expect.objectContaining({ code: 'protocol-mismatch' }) as Error;
  expect(() => [...new OutputFrameParser().push(Buffer.from([9, 0, 0, 0, 0]))]).toThrow(refused);
  expect(() => [...new OutputFrameParser().push(Buffer.from([1, 255, 255, 255, 255]))]).toThrow(refused);
});

test('a gap gives the offset of what follows', () => {
  const next = Buffer.alloc(8);
  next.writeBigUInt64LE(70_000n);
  const wire = outputFrame(4, next);
  const parser = new OutputFrameParser();
  expect([...parser.push(wire.subarray(0, 9)), ...parser.push(wire.subarray(9))]).toEqual([
    { kind: 'gap', nextOffset: 70_000 },
  ]);
});
