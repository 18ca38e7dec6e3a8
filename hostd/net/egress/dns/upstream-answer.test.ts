import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { guestQuery } from './testing/guest-message.ts';
import { a, cname, soa, zoneAnswer, type ZoneEntry, type ZoneRecord } from './testing/zone-server.ts';
import { readAddressAnswer } from './upstream-answer.ts';
import { types } from './wire.ts';

const name = 'www.example.org';
const answerOf = (entry: ZoneEntry): Buffer => zoneAnswer(guestQuery({ name }), { [name]: entry }, 'udp');
const read = (entry: ZoneEntry) => readAddressAnswer(name, answerOf(entry));
const changed = (message: Buffer, offset: number, value: number): Buffer => {
  const copy = Buffer.from(message);
  copy.writeUInt8(value, offset);
  return copy;
};

test('addresses come with the smallest TTL along the way', () => {
  const answers = [
    cname('two.example', { ttl: 300 }),
    cname('three.example', { name: 'two.example', ttl: 30 }),
    a('203.0.113.7', { name: 'three.example', ttl: 90 }),
    a('203.0.113.8', { name: 'three.example', ttl: 80 }),
  ];
  expect(read({ answers })).toEqual({ kind: 'addresses', addresses: ['203.0.113.7', '203.0.113.8'], ttlSeconds: 30 });
  expect(read({ answers: answers.toReversed() })).toMatchObject({ addresses: ['203.0.113.8', '203.0.113.7'] });
});

test('addresses of other names, other classes and other sections are not taken', () => {
  const answers = [
    a('203.0.113.7'),
    a('198.51.100.66', { name: 'bank.example' }),
    a('198.51.100.67', { name: 'example.org' }),
  ];
  const additional = [a('198.51.100.68')];
  const authority = [a('198.51.100.69')];
  expect(read({ answers, additional, authority })).toMatchObject({ addresses: ['203.0.113.7'] });
  expect(read({ answers: [a('198.51.100.66', { name: 'bank.example' })] })).toMatchObject({
    kind: 'none',
    why: 'no-data',
  });
  const response = answerOf({ answers: [a('203.0.113.7')] });
  expect(readAddressAnswer(name, changed(response, response.length - 11, 3))).toMatchObject({ kind: 'none' });
});

test('a chain that ends in another message is to be asked on', () => {
  expect(read({ answers: [cname('edge.example', { ttl: 20 })] })).toEqual({
    kind: 'alias',
    target: 'edge.example',
    ttlSeconds: 20,
  });
});

test('names without addresses and names that do not exist say for how long', () => {
  expect(read({ authority: [soa(40, { ttl: 900 })] })).toEqual({ kind: 'none', why: 'no-data', ttlSeconds: 40 });
  expect(read({ rcode: 3, authority: [soa(900, { ttl: 50 })] })).toEqual({
    kind: 'none',
    why: 'no-such-name',
    ttlSeconds: 50,
  });
  expect(read({ rcode: 3 })).toEqual({ kind: 'none', why: 'no-such-name', ttlSeconds: 5 });
  const dangling = { answers: [cname('gone.example')], authority: [soa(10)] };
  expect(read({ ...dangling, rcode: 3 })).toMatchObject({ kind: 'none', why: 'no-such-name' });
  expect(read(dangling)).toMatchObject({ kind: 'none', why: 'no-data' });
});

test('a TTL with its highest bit set is none', () => {
  expect(read({ answers: [a('203.0.113.7', { ttl: 0x8000_0000 })] })).toMatchObject({ ttlSeconds: 0 });
});

const long: ZoneRecord[] = Array.from({ length: 20 }, (_, index) =>
  cname(`n${String(index + 1)}.example`, index === 0 ? {} : { name: `n${String(index)}.example` }),
);
test.for([
  ['a failure', answerOf({ rcode: 2 })],
  ['a refusal', answerOf({ rcode: 5 })],
  ['aliases in a circle', answerOf({ answers: [cname('b.example'), cname(name, { name: 'b.example' })] })],
  ['an endless chain', answerOf({ answers: long })],
  ['an alias to what no host is called', answerOf({ answers: [{ type: types.cname, data: Buffer.from([1, 32, 0]) }] })],
  ['an answer to another question', zoneAnswer(guestQuery({ name: 'xxx.example.org' }), {}, 'udp')],
  ['an answer of another type', zoneAnswer(guestQuery({ name, type: types.txt }), {}, 'udp')],
  ['a query', changed(answerOf({}), 2, 0x01)],
  ['no question', changed(answerOf({}), 5, 0)],
  ['fewer records than it says', changed(answerOf({ answers: [a('203.0.113.7')] }), 7, 2)],
  ['nothing', Buffer.alloc(0)],
] as const)('%s is no answer', ([, response]) => {
  expect(readAddressAnswer(name, response)).toEqual({ kind: 'failed' });
});

test('a message that was cut says so', () => {
  expect(read({ truncated: true })).toEqual({ kind: 'truncated' });
});

test('pointers forwards, at themselves or in a circle are no names', () => {
  for (const pointer of [
    [0xc0, 33],
    [0xc0, 200],
    [0xc0, 35],
  ]) {
    const response = answerOf({ answers: [a('203.0.113.7')] });
    response.set(pointer, 33);
    expect(readAddressAnswer(name, response)).toEqual({ kind: 'failed' });
  }
});
