import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainFrame, type PlainFrame } from '../channel/testing/host-frames.ts';
import { type Frame, ProtocolViolation, wholePayload } from './frame.ts';
import { FrameDecoder } from './frame-decoder.ts';

const tag = 0x12345678;
const largestFrameBytes = 20 + 65536 + 4;

function decode(bytes: Buffer, cuts: readonly number[] = []): { frames: Frame[]; decoder: FrameDecoder } {
  const frames: Frame[] = [];
  const decoder = new FrameDecoder(tag, (frame) => frames.push(frame));
  let start = 0;
  for (const end of [...new Set(cuts)].sort((a, b) => a - b)) {
    decoder.push(bytes.subarray(start, end));
    start = end;
  }
  decoder.push(bytes.subarray(start));
  return { frames, decoder };
}

function plain(frame: Frame): Required<PlainFrame> {
  const { type, streamId, offset, channel, flags } = frame;
  return { type, streamId, offset, channel, flags, payload: wholePayload(frame) };
}

const data = fc.record({
  type: fc.constant(0x12),
  streamId: fc.integer({ min: 1, max: 0xffffffff }),
  offset: fc.maxSafeNat(),
  channel: fc.constantFrom(1, 2),
  flags: fc.constant(0),
  payload: fc
    .oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 200 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 65536 }) },
    )
    .chain((length) => fc.nat({ max: 255 }).map((first) => Buffer.alloc(length, first))),
});
const small = fc.constantFrom(0x10, 0x13, 0x14, 0x15, 0x20, 0x21).chain((type) =>
  fc.record({
    type: fc.constant(type),
    streamId: type >= 0x20 ? fc.constant(0) : fc.integer({ min: 1, max: 0xffffffff }),
    offset: fc.maxSafeNat(),
    channel: fc.constant(0),
    flags: type === 0x10 ? fc.constantFrom(0, 1) : fc.constant(0),
    payload: fc
      .uint8Array(type === 0x13 ? { minLength: 8, maxLength: 8 } : { maxLength: type === 0x14 ? 0 : 64 })
      .map((bytes) => Buffer.from(bytes)),
  }),
);
const framesAndPadding = fc.array(fc.tuple(fc.oneof(data, small), fc.nat({ max: 30 })), { maxLength: 12 });
const cutFractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });

test('valid frames decode equal under any chunking, with padding between', () => {
  fc.assert(
    fc.property(framesAndPadding, cutFractions, (list, fractions) => {
      const bytes = Buffer.concat(list.flatMap(([frame, pad]) => [plainFrame(tag, frame), Buffer.alloc(pad)]));
      const { frames, decoder } = decode(
        bytes,
        fractions.map((fraction) => Math.floor(fraction * bytes.length)),
      );
      expect(frames.map(plain)).toEqual(list.map(([frame]) => frame));
      expect(decoder.heldBytes).toBe(0);
      expect(decoder.paddingBytes).toBe(list.reduce((sum, [, pad]) => sum + pad, 0));
    }),
  );
});

test('byte by byte, the largest frame is held once and no more', () => {
  const payload = Buffer.alloc(65536, 7);
  const bytes = plainFrame(tag, { type: 0x12, streamId: 5, offset: 9, channel: 2, payload });
  const frames: Frame[] = [];
  const decoder = new FrameDecoder(tag, (frame) => frames.push(frame));
  let most = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    decoder.push(bytes.subarray(index, index + 1));
    most = Math.max(most, decoder.heldBytes);
  }
  expect(frames).toHaveLength(1);
  expect(frames[0]?.payload.length).toBeLessThanOrEqual(5);
  expect(Buffer.concat(frames[0]?.payload ?? []).equals(payload)).toBe(true);
  expect(most).toBeLessThanOrEqual(largestFrameBytes);
});

test('a large payload is handed on as views of what was received', () => {
  const bytes = plainFrame(tag, { type: 0x12, streamId: 5, offset: 0, channel: 1, payload: Buffer.alloc(60_000, 1) });
  const { frames } = decode(bytes, [30_000]);
  expect(frames[0]?.payload.map((part) => part.buffer === bytes.buffer)).toEqual([true, true]);
});

test('corruption, repetition and noise: a violation or frames, never a crash, never more than a frame held', () => {
  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    value: fc.nat({ max: 255 }),
    repeat: fc.nat({ max: 50 }),
  });
  fc.assert(
    fc.property(framesAndPadding, fc.array(damage, { maxLength: 5 }), cutFractions, (list, damages, fractions) => {
      let bytes = Buffer.concat(list.map(([frame]) => plainFrame(tag, frame)));
      for (const { at, value, repeat } of damages) {
        const position = Math.floor(at * bytes.length);
        const again = bytes.subarray(position, position + repeat);
        bytes = Buffer.concat([bytes.subarray(0, position), again, Buffer.from([value]), bytes.subarray(position + 1)]);
      }
      expectBounded(bytes, fractions);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), cutFractions, (bytes, cuts) =>
      expectBounded(Buffer.from(bytes), cuts),
    ),
  );
});

function expectBounded(bytes: Buffer, fractions: readonly number[]): void {
  const decoder = new FrameDecoder(tag, (frame) => expect(frame.payloadBytes).toBeLessThanOrEqual(65536));
  let start = 0;
  try {
    for (const end of [...fractions.map((fraction) => Math.floor(fraction * bytes.length)), bytes.length].sort(
      (a, b) => a - b,
    )) {
      decoder.push(bytes.subarray(start, end));
      start = end;
      expect(decoder.heldBytes).toBeLessThanOrEqual(largestFrameBytes);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolViolation);
  }
}

const good: PlainFrame = { type: 0x12, streamId: 1, offset: 0, channel: 1, payload: Buffer.from('x') };
const ackOf = (length: number): PlainFrame => ({ ...good, type: 0x13, channel: 0, payload: Buffer.alloc(length) });

test.each<[string, Buffer]>([
  ['start byte', Buffer.concat([Buffer.from([0x41]), plainFrame(tag, good)])],
  ['trailer', plainFrame(tag + 1, good)],
  ['type', plainFrame(tag, { ...good, type: 0x55, channel: 0 })],
  ['type of the host', plainFrame(tag, { ...good, type: 0x16, channel: 0 })],
  ['RESYNC_ACK within a session', plainFrame(tag, { ...good, type: 0x02, channel: 0, streamId: 0 })],
  ['channel', plainFrame(tag, { ...good, channel: 3 })],
  ['channel of the input', plainFrame(tag, { ...good, channel: 0 })],
  ['channel outside DATA', plainFrame(tag, { ...ackOf(8), channel: 1 })],
  ['flags', plainFrame(tag, { ...good, flags: 1 })],
  ['length above the bound', plainFrame(tag, { ...good, payload: Buffer.alloc(65537) })],
  ['empty DATA', plainFrame(tag, { ...good, payload: Buffer.alloc(0) })],
  ['ACK length', plainFrame(tag, ackOf(9))],
  ['EOF with a payload', plainFrame(tag, { ...ackOf(1), type: 0x14 })],
  ['long PING', plainFrame(tag, { ...ackOf(65), type: 0x20, streamId: 0 })],
  ['DATA of the session itself', plainFrame(tag, { ...good, streamId: 0 })],
  ['PING of a stream', plainFrame(tag, { ...ackOf(8), type: 0x20 })],
])('a wrong %s is a violation', (_what, bytes) => {
  expect(() => decode(bytes)).toThrow(ProtocolViolation);
});

test('an offset beyond 2^53 is a violation', () => {
  const bytes = plainFrame(tag, good);
  bytes.writeUInt32LE(0x200000, 16);
  expect(() => decode(bytes)).toThrow(ProtocolViolation);
});
