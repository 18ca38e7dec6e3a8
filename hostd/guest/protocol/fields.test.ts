import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFields, encodeFields, fieldTexts } from './fields.ts';
import { ProtocolViolation } from './frame.ts';

const field = fc.tuple(
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,30}$/),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

test('fields come back as they were, repeated keys in order', () => {
  fc.assert(
    fc.property(fc.array(field, { maxLength: 20 }), (fields) => {
      const decoded = decodeFields(encodeFields(fields), 20);
      expect(decoded.map(({ key, value }) => [key, Buffer.from(value)])).toEqual(fields);
    }),
  );
});

test('the bytes are those of the protocol; numbers are decimal, text is UTF-8', () => {
  expect(
    encodeFields([
      ['ok', 1],
      ['message', 'é'],
    ]).toString('latin1'),
  ).toBe('\x02ok\x01\0\0\x001\x07message\x02\0\0\0\xc3\xa9');
  expect(
    fieldTexts(
      decodeFields(
        encodeFields([
          ['a', 1],
          ['a', 2],
          ['__proto__x'.replaceAll('_', ''), 'p'],
        ]),
        9,
      ),
    ),
  ).toEqual({ a: '1', protox: 'p' });
});

test('any bytes: fields or a violation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      try {
        for (const { key, value } of decodeFields(Buffer.from(bytes), 10)) {
          expect(key).toMatch(/^[a-z0-9-]+$/);
          expect(value.length).toBeLessThan(400);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolViolation);
      }
    }),
  );
});

test.each<[string, Buffer]>([
  ['cut key', Buffer.from([5, 0x61])],
  ['cut length', Buffer.from([1, 0x61, 1, 0])],
  ['cut value', Buffer.from([1, 0x61, 2, 0, 0, 0, 0x62])],
  ['huge value', Buffer.from([1, 0x61, 0xff, 0xff, 0xff, 0xff])],
  ['empty key', Buffer.from([0, 0, 0, 0, 0])],
  ['key with capitals', Buffer.from([1, 0x41, 0, 0, 0, 0])],
  [
    'too many',
    encodeFields([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]),
  ],
])('%s is a violation', (_what, bytes) => {
  expect(() => decodeFields(bytes, 2)).toThrow(ProtocolViolation);
});
