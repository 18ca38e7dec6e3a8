import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passedOn } from './passed-on.ts';
import { parseGuestQuery } from './query.ts';
import { guestQuery, readReply } from './testing/guest-message.ts';
import { guestAddress, policyOf, resolverLab } from './testing/resolver-lab.ts';
import { a, cname, soa, zoneAnswer, type Zone } from './testing/zone-server.ts';
import { readAddressAnswer } from './upstream-answer.ts';

const runs = { numRuns: 500 };
const name = 'www.example.org';
const zone: Zone = {
  [name]: { answers: [cname('b.example'), a('203.0.113.7', { name: 'b.example' })], authority: [soa(9)] },
};

/** A whole message with a few bytes changed, cut off, or put in. */
function damaged(whole: Buffer): fc.Arbitrary<Buffer> {
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 });
  return fc.tuple(changes, fc.nat(whole.length), fc.uint8Array({ maxLength: 12 })).map(([edits, cut, extra]) => {
    const copy = Buffer.from(whole);
    for (const [offset, value] of edits) copy.writeUInt8(value, offset);
    return Buffer.concat([
      cut % 3 === 0 ? copy.subarray(0, cut) : copy,
      cut % 2 === 0 ? Buffer.from(extra) : Buffer.alloc(0),
    ]);
  });
}

const anyBytes = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
const hostileQuery = fc.oneof(
  anyBytes,
  damaged(guestQuery({ name: 'evil.example.org' })),
  damaged(guestQuery({ name: 'evil.example.org', edns: { options: Buffer.from([0, 8, 0, 4, 0, 1, 0, 0]) } })),
);

test('500 broken queries: each is answered as one should be or not at all, and nothing leaves', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'git.example:22') });
  await fc.assert(
    fc.asyncProperty(hostileQuery, fc.constantFrom('udp' as const, 'tcp' as const), async (query, transport) => {
      lab.clock.ms += 1000;
      const reply = await lab.resolver.answerQuery(guestAddress, transport, query);
      if (reply === undefined) return;
      expect(readReply(reply)).toMatchObject({ id: query.readUInt16BE(0), addresses: [] });
    }),
    runs,
  );
  expect([lab.asked, lab.sink.log]).toEqual([[], []]);
  expect(lab.observed.every(({ outcome, name: seen }) => outcome === 'denied' && seen.length <= 4 * 255)).toBe(true);
});

test('500 broken answers of servers: no crash, and no address that the message does not hold', async () => {
  const query = guestQuery({ name });
  const whole = zoneAnswer(query, zone, 'udp');
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyBytes, damaged(whole)), async (response) => {
      const read = readAddressAnswer(name, response);
      const found = read.kind === 'addresses' ? read.addresses : [];
      for (const address of found) expect(response.includes(Buffer.from(address.split('.').map(Number)))).toBe(true);
      const lab = resolverLab({
        policy: policyOf('audit'),
        upstream: { resolve: () => Promise.resolve(response) },
      });
      const reply = await lab.resolver.answerQuery(guestAddress, 'udp', query);
      expect(readReply(reply).name).toBe(name);
      const parsed = parseGuestQuery(query);
      if (parsed.kind === 'query') expect(passedOn(parsed.query, response).rcode).toBeLessThanOrEqual(3);
    }),
    runs,
  );
});
