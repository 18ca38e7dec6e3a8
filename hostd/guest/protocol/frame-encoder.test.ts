import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HostFrameDecoder, plainFrame, type PlainFrame } from '../channel/testing/host-frames.ts';
import { encodeCount, encodeData, encodeFrame, encodeOpen } from './frame-encoder.ts';
import { encodeResync, padding, sessionTag } from './resync.ts';

const nonce = Buffer.from('0123456789abcdef');
const tag = sessionTag(nonce);

function decode(...parts: Buffer[]): PlainFrame[] {
  const frames: PlainFrame[] = [];
  const decoder = new HostFrameDecoder();
  decoder.push(Buffer.concat([encodeResync(nonce), ...parts]), (frame) =>
    frames.push({ ...frame, payload: Buffer.from(frame.payload) }),
  );
  expect(frames.shift()).toMatchObject({ type: 1, payload: nonce });
  return frames;
}

test('the bytes of a frame are those of the table', () => {
  const frame = encodeFrame(tag, { type: 0x17, streamId: 0x01020304, offset: 0x1_0000_0002 }, Buffer.from('ab'));
  expect(frame.toString('hex')).toBe('f5170000' + '02000000' + '04030201' + '0200000001000000' + '6162' + '30313233');
  expect(encodeCount(tag, { type: 0x13, streamId: 7, offset: 5 }, 2 ** 40)).toEqual(
    plainFrame(tag, { type: 0x13, streamId: 7, offset: 5, payload: Buffer.from('0000000000010000', 'hex') }),
  );
});

test('RESYNC carries the magic, the nonce and the versions', () => {
  expect(encodeResync(nonce).toString('latin1')).toBe(
    '\xf5\x01\0\0' +
      '\x24\0\0\0' +
      '\0'.repeat(12) +
      'offshoot-resync\n' +
      '0123456789abcdef' +
      '\x01\0\x01\0' +
      'YSER',
  );
  expect(padding.length).toBe(16408);
});

test('DATA is cut at 16 KiB with contiguous offsets, whatever the parts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 5 }),
      fc.nat(),
      (lengths, offset) => {
        const parts = lengths.map((length, index) => Buffer.alloc(length, index + 1));
        const frames = decode(encodeData(tag, 9, offset, parts));
        let next = offset;
        for (const frame of frames) {
          expect(frame).toMatchObject({ type: 0x12, streamId: 9, offset: next, flags: 0 });
          expect(frame.payload.length).toBeLessThanOrEqual(16384);
          next += frame.payload.length;
        }
        expect(Buffer.concat(frames.map(({ payload }) => payload)).equals(Buffer.concat(parts))).toBe(true);
      },
    ),
  );
});

test('OPEN over 16 KiB goes in several frames; all but the last say that more follows', () => {
  const fields = Buffer.alloc(40_000, 0x61);
  const frames = decode(encodeOpen(tag, 3, 1_048_576, fields));
  expect(frames.map(({ type, offset, flags, payload }) => [type, offset, flags, payload.length])).toEqual([
    [0x10, 1_048_576, 1, 16384],
    [0x10, 1_048_576, 1, 16384],
    [0x10, 1_048_576, 0, 7232],
  ]);
  expect(decode(encodeOpen(tag, 3, 0, Buffer.alloc(16384)))).toHaveLength(1);
  expect(() => encodeOpen(tag, 3, 0, Buffer.alloc(2 * 1024 * 1024 + 1))).toThrow(RangeError);
});
