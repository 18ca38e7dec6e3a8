import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { parseGuestQuery } from './query.ts';
import { guestQuery, readReply, type QueryParts } from './testing/guest-message.ts';
import { guestAddress, policyOf, resolverLab } from './testing/resolver-lab.ts';
import { a, type Zone } from './testing/zone-server.ts';
import { types, writeName } from './wire.ts';

const name = 'www.example.org';
const zone: Zone = { [name]: { answers: [a('203.0.113.7')] } };
const lab = () => resolverLab({ zone, policy: policyOf('enforce', name) });
const answer = (query: Buffer) => lab().resolver.answerQuery(guestAddress, 'udp', query);
const rootOpt = guestQuery({ name, edns: {} }).subarray(guestQuery({ name }).length);
const otherRecord = Buffer.concat([writeName('x.example'), Buffer.from([0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 1, 2, 3, 4])]);

test.for<[string, QueryParts, number, number]>([
  ['no question', { name, counts: [0, 0, 0, 0] }, 1, 0],
  ['two questions', { name, counts: [2, 0, 0, 0], tail: guestQuery({ name }).subarray(12) }, 1, 0],
  ['a question that is cut', { name: Buffer.from([9, 0x61, 0x62]) }, 1, 0],
  ['a pointer for a name', { name: Buffer.from([0xc0, 0x0c]) }, 1, 0],
  [
    'a label that is too long',
    { name: Buffer.concat([Buffer.from([64]), Buffer.alloc(64, 'a'), Buffer.alloc(1)]) },
    1,
    0,
  ],
  ['a name that is too long', { name: writeName(Array(64).fill('abc').join('.')) }, 1, 0],
  ['bytes behind its end', { name, tail: Buffer.from('more') }, 1, 0],
  ['fewer records than it says', { name, counts: [1, 0, 0, 1] }, 1, 0],
  ['two OPT records', { name, edns: {}, counts: [1, 0, 0, 2], tail: rootOpt }, 1, 0],
  ['an OPT record as an answer', { name, edns: {}, counts: [1, 1, 0, 0] }, 1, 0],
  ['a later EDNS version', { name, edns: { version: 1 } }, 0, 1],
  ['another class', { name, class: 3 }, 5, 1],
  ['any class', { name, class: 255 }, 5, 1],
  ['the obsolete inverse query', { name, flags: 0x0900 }, 4, 0],
  ['an update', { name, flags: 0x2900 }, 4, 0],
  ['a notification', { name, flags: 0x2100 }, 4, 0],
])('a message with %s is refused', async ([, parts, rcode, questions]) => {
  const one = lab();
  const reply = await one.ask(parts);
  expect(reply).toMatchObject({ rcode, questions, id: 0x1234, answers: [] });
  expect(one.asked).toEqual([]);
});

test.for([
  ['a response', guestQuery({ name, flags: 0x8180 })],
  ['11 bytes', guestQuery({ name }).subarray(0, 11)],
  ['nothing', Buffer.alloc(0)],
] as const)('%s is not answered', async ([, message]) => {
  expect(await answer(message)).toBeUndefined();
});

test('records that are no business of ours are read past', async () => {
  const query = guestQuery({ name, counts: [1, 0, 0, 1], tail: otherRecord });
  expect(readReply(await answer(query))).toMatchObject({ rcode: 0, addresses: ['203.0.113.7'], opt: undefined });
});

test('EDNS is answered with EDNS: our size, no options, no DNSSEC', async () => {
  const options = Buffer.from([0, 8, 0, 8, 0, 1, 24, 0, 10, 1, 2, 3]);
  const reply = await answer(guestQuery({ name, edns: { udpBytes: 4096, flags: 0x8000, options } }));
  const { opt } = readReply(reply);
  expect(opt).toMatchObject({ isRoot: true, class: 1232, ttl: 0 });
  expect((opt?.dataEnd ?? 0) - (opt?.dataStart ?? 0)).toBe(0);
  const badVersion = readReply(await answer(guestQuery({ name, edns: { version: 3 } })));
  expect(badVersion.opt?.ttl).toBe(1 << 24);
});

test('flags say: an answer, recursion available, neither authoritative nor verified', async () => {
  for (const [asked, answered] of [
    [0x0100, 0x8180],
    [0x0000, 0x8080],
    [0x0130, 0x8180],
  ] as const) {
    expect((await answer(guestQuery({ name, flags: asked })))?.readUInt16BE(2)).toBe(answered);
  }
});

test('the root has no data', async () => {
  const one = lab();
  expect(await one.ask({ name: '', type: types.ns })).toMatchObject({ rcode: 0, answers: [] });
  expect([one.asked, one.observed]).toEqual([[], []]);
});

test('the largest answer by UDP lies between 512 and 1232 bytes, whatever the guest says', () => {
  const sizeFor = (edns?: QueryParts['edns']) => {
    const parsed = parseGuestQuery(guestQuery({ name, ...(edns === undefined ? {} : { edns }) }));
    return parsed.kind === 'query' ? parsed.query.maxUdpBytes : undefined;
  };
  expect([sizeFor(), sizeFor({ udpBytes: 0 }), sizeFor({ udpBytes: 900 }), sizeFor({ udpBytes: 65_535 })]).toEqual([
    512, 512, 900, 1232,
  ]);
});
