import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerDns, buildQuery } from '../../../test/doubles/outside-dns.ts';
import { failureResponse, FrameReader, framed, parseQuery, responseCode, withId } from './message.ts';

const question = buildQuery('www.example', 'A', 0x1234);
const parsed = () => parseQuery(question) ?? expect.fail('a good query was not read');
const answer = () => answerDns(question, { 'www.example': { a: ['203.0.113.7'] } }, 512).response;

const changed = (bytes: Buffer, offset: number, value: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(value, offset);
  return copy;
};

test('a query is read up to the end of its question, whatever follows', () => {
  expect(parsed()).toMatchObject({ id: 0x1234, questionEnd: question.length });
  const withExtension = Buffer.concat([question, Buffer.from([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0])]);
  expect(parseQuery(withExtension)?.questionEnd).toBe(question.length);
});

test.for([
  ['short', question.subarray(0, 11)],
  ['a response', changed(question, 2, 0x81)],
  ['of another kind', changed(question, 2, 0x28)],
  ['without a question', changed(question, 5, 0)],
  ['with two questions', changed(question, 5, 2)],
  ['cut inside the name', question.subarray(0, 15)],
  ['cut behind the name', question.subarray(0, question.length - 1)],
  ['with a pointer for a name', changed(question, 12, 0xc0)],
  ['with a label that is too long', buildQuery(`${'a'.repeat(64)}.example`, 'A', 1)],
  ['with a name that is too long', buildQuery(Array(60).fill('abcd').join('.'), 'A', 1)],
] as const)('a message %s is no query', ([, bytes]) => {
  expect(parseQuery(Buffer.from(bytes))).toBeUndefined();
});

test('any bytes at all are read or not, without harm', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const query = parseQuery(Buffer.from(bytes));
      if (query !== undefined) expect(query.questionEnd).toBeLessThanOrEqual(bytes.length);
      responseCode(parsed(), 0x1234, Buffer.from(bytes));
    }),
  );
});

test('only the answer to the very question, under the id that was sent, is taken', () => {
  expect(responseCode(parsed(), 0x1234, answer())).toBe(0);
  expect(responseCode(parsed(), 0x1235, answer())).toBeUndefined();
  expect(responseCode(parsed(), 0x1234, question)).toBeUndefined();
  const toAnother = answerDns(buildQuery('wwv.example', 'A', 0x1234), {}, 512).response;
  expect(responseCode(parsed(), 0x1234, toAnother)).toBeUndefined();
  const ofAnotherType = answerDns(buildQuery('www.example', 'TXT', 0x1234), {}, 512).response;
  expect(responseCode(parsed(), 0x1234, ofAnotherType)).toBeUndefined();
  const inCapitals = answerDns(buildQuery('WWW.EXAMPLE', 'A', 0x1234), {}, 512).response;
  expect(responseCode(parsed(), 0x1234, inCapitals)).toBe(3);
});

test('a complaint about the form of a query may come without the question, an answer may not', () => {
  const bare = (code: number): Buffer => {
    const header = Buffer.from(answer().subarray(0, 12));
    header.writeUInt8(0x80 | code, 3);
    header.fill(0, 4, 12);
    return header;
  };
  expect(responseCode(parsed(), 0x1234, bare(1))).toBe(1);
  expect(responseCode(parsed(), 0x1234, bare(0))).toBeUndefined();
});

test('a failure repeats the question and carries no records', () => {
  const failure = failureResponse(parsed(), 2);
  expect(responseCode(parsed(), 0x1234, failure)).toBe(2);
  expect(failure.length).toBe(question.length);
  expect([failure.readUInt16BE(6), failure.readUInt16BE(8), failure.readUInt16BE(10)]).toEqual([0, 0, 0]);
});

test('another id leaves the original as it was', () => {
  expect(withId(question, 7).readUInt16BE(0)).toBe(7);
  expect(question.readUInt16BE(0)).toBe(0x1234);
});

test('frames come out whole however the stream is cut', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 }), (bodies, cuts) => {
      const stream = Buffer.concat(bodies.map((body) => framed(Buffer.from(body))));
      const reader = new FrameReader();
      const out: Buffer[] = [];
      for (let offset = 0, turn = 0; offset < stream.length; turn += 1) {
        const size = cuts[turn % cuts.length] ?? 1;
        out.push(...reader.push(stream.subarray(offset, offset + size)));
        offset += size;
      }
      expect(out.map((message) => [...message])).toEqual(bodies.map((body) => [...body]));
    }),
  );
});
