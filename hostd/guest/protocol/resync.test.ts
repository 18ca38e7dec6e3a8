import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainFrame, resyncAnswer } from '../channel/testing/host-frames.ts';
import { encodeFields } from './fields.ts';
import { type ResyncAnswer, ResyncHunter } from './resync.ts';

const nonce = Buffer.from('nonce-nonce-nonc');
const fields = encodeFields([
  ['version', 1],
  ['agent', 'x'],
]);

function hunt(
  bytes: Buffer,
  chunkBytes: number,
): { answer: ResyncAnswer | undefined; discarded: number; consumed: number } {
  const hunter = new ResyncHunter(nonce);
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const answer = hunter.push(bytes.subarray(start, start + chunkBytes));
    if (answer !== undefined) return { answer, discarded: hunter.discardedBytes, consumed: start + chunkBytes };
  }
  return { answer: undefined, discarded: hunter.discardedBytes, consumed: bytes.length };
}

test('the answer is found behind any rubbish and in any chunking; what follows is kept', () => {
  const rubbish = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.constant(Buffer.alloc(70, 0xf5)),
      fc.constant(resyncAnswer(Buffer.from('another-nonce-xx'), fields)),
      fc.constant(plainFrame(99, { type: 0x12, streamId: 1, offset: 0, channel: 1, payload: Buffer.alloc(500, 0xf5) })),
      fc.nat({ max: 60 }).map((length) => resyncAnswer(nonce, fields).subarray(0, 36).subarray(0, length)),
    ),
    { maxLength: 8 },
  );
  const tail = Buffer.from('the first frames');
  fc.assert(
    fc.property(rubbish, fc.integer({ min: 1, max: 400 }), (before, chunkBytes) => {
      const bytes = Buffer.concat([...before, resyncAnswer(nonce, fields), tail]);
      const { answer, discarded, consumed } = hunt(bytes, chunkBytes);
      expect(answer?.fields).toEqual(fields);
      expect(
        answer?.rest.equals(tail.subarray(0, Math.max(0, tail.length - Math.max(0, bytes.length - consumed)))),
      ).toBe(true);
      expect(discarded).toBe(before.reduce((sum, part) => sum + part.length, 0));
    }),
  );
});

test('an answer with a broken trailer or an impossible length is discarded, and the hunt goes on', () => {
  const broken = resyncAnswer(nonce, fields);
  broken[broken.length - 1] = 0;
  const tooLong = resyncAnswer(nonce, fields);
  tooLong.writeUInt32LE(65537, 4);
  const tooShort = resyncAnswer(nonce, fields);
  tooShort.writeUInt32LE(31, 4);
  const { answer } = hunt(Buffer.concat([broken, tooLong, tooShort, resyncAnswer(nonce, fields)]), 50);
  expect(answer?.fields).toEqual(fields);
});

test.each([
  ['start bytes', Buffer.alloc(64 * 1024, 0xf5)],
  [
    'beginnings of an answer',
    Buffer.concat(Array.from({ length: 1200 }, () => resyncAnswer(nonce, fields).subarray(0, 51))),
  ],
])('64 MiB of %s take less than two seconds and are not kept', (_what, chunk) => {
  const hunter = new ResyncHunter(nonce);
  const startMs = performance.now();
  let pushedBytes = 0;
  while (pushedBytes < 64 * 1024 * 1024) {
    if (hunter.push(chunk) !== undefined) throw new Error('found what is not there');
    pushedBytes += chunk.length;
  }
  expect(performance.now() - startMs).toBeLessThan(2000);
  expect(hunter.discardedBytes).toBeGreaterThan(pushedBytes - 100);
});
