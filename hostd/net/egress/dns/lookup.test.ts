import { expect, test } from 'vitest';
import { AnswerCache, type CacheLimits } from './answer-cache.ts';
import { Lookup } from './lookup.ts';
import { a, cname, soa, zoneAnswer, type Zone } from './testing/zone-server.ts';
import { plainName, readName } from './wire.ts';

function lookupOver(zone: Zone, more: { limits?: CacheLimits; msPerQuestion?: number } = {}) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const cache = new AnswerCache(() => clock.ms, more.limits ?? { entries: 100, bytes: 100_000 });
  const upstream = {
    resolve: async (query: { bytes: Buffer }) => {
      asked.push(plainName(readName(query.bytes, 12, 'refuse')?.labels ?? []) ?? '?');
      clock.ms += more.msPerQuestion ?? 0;
      await Promise.resolve();
      return zoneAnswer(query.bytes, zone, 'udp');
    },
  };
  const lookup = new Lookup({ upstream, cache, now: () => clock.ms });
  const find = (name: string) => lookup.addressesOf(name, () => true);
  return { lookup, find, asked, clock, cache };
}

test('aliases that each server only half follows are followed to the end', async () => {
  const zone: Zone = {
    'one.example': { answers: [cname('two.example', { ttl: 7 })] },
    'two.example': { answers: [cname('three.example')] },
    'three.example': { answers: [a('203.0.113.7')] },
  };
  const { find, asked } = lookupOver(zone);
  expect(await find('one.example')).toEqual({ kind: 'addresses', addresses: ['203.0.113.7'], ttlSeconds: 7 });
  expect(asked).toEqual(['one.example', 'two.example', 'three.example']);
});

test('aliases in circles, without end, or too slow are given up', async () => {
  const circle: Zone = {
    'one.example': { answers: [cname('two.example')] },
    'two.example': { answers: [cname('one.example')] },
  };
  const round = lookupOver(circle);
  expect(await round.find('one.example')).toEqual({ kind: 'failed' });
  expect(round.asked).toHaveLength(2);
  const endless = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [
      `n${String(index)}.example`,
      { answers: [cname(`n${String(index + 1)}.example`)] },
    ]),
  );
  const long = lookupOver(endless);
  expect(await long.find('n0.example')).toEqual({ kind: 'failed' });
  expect(long.asked).toHaveLength(8);
  const slow = lookupOver(endless, { msPerQuestion: 2000 });
  expect(await slow.find('n0.example')).toEqual({ kind: 'failed' });
  expect(slow.asked).toHaveLength(3);
});

test('many who ask at once cause one question', async () => {
  const { find, asked, lookup } = lookupOver({ 'www.example': { answers: [a('203.0.113.7')] } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => find('www.example')));
  expect(new Set(answers.map((answer) => answer?.kind))).toEqual(new Set(['addresses']));
  expect(asked).toEqual(['www.example']);
  expect(await lookup.addressesOf('www.example', () => false)).toMatchObject({ kind: 'addresses' });
  expect(await lookup.addressesOf('other.example', () => false)).toBeUndefined();
});

test('an answer is kept as long as it says, not less than 5 seconds nor more than an hour', async () => {
  const zone: Zone = {
    'long.example': { answers: [a('203.0.113.7', { ttl: 1_000_000 })] },
    'zero.example': { answers: [a('203.0.113.7', { ttl: 0 })] },
    'usual.example': { answers: [a('203.0.113.7', { ttl: 90 })] },
  };
  const { find, asked, clock } = lookupOver(zone);
  expect(await find('long.example')).toMatchObject({ ttlSeconds: 3570 });
  expect(await find('zero.example')).toMatchObject({ ttlSeconds: 5 });
  await find('usual.example');
  clock.ms += 4999;
  expect(await find('zero.example')).toMatchObject({ ttlSeconds: 1 });
  expect(await find('usual.example')).toMatchObject({ ttlSeconds: 86 });
  expect(asked).toHaveLength(3);
  clock.ms += 1;
  await find('zero.example');
  clock.ms += 86_000;
  await find('usual.example');
  expect(asked.slice(3)).toEqual(['zero.example', 'usual.example']);
});

test('that a name does not exist is kept too, at most 5 minutes; a failure is not', async () => {
  const zone: Zone = {
    'gone.example': { rcode: 3, authority: [soa(86_400, { ttl: 86_400 })] },
    'broken.example': { rcode: 2 },
  };
  const { find, asked, clock } = lookupOver(zone);
  await find('gone.example');
  clock.ms += 299_000;
  expect(await find('gone.example')).toMatchObject({ kind: 'none', why: 'no-such-name', ttlSeconds: 1 });
  expect(asked).toHaveLength(1);
  clock.ms += 1000;
  await find('gone.example');
  expect(asked).toHaveLength(2);
  await find('broken.example');
  await find('broken.example');
  expect(asked).toHaveLength(4);
});

test('addresses take turns at the front, and each stays in the answer', async () => {
  const answers = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map((address) => a(address));
  const { find } = lookupOver({ 'www.example': { answers } });
  const fronts: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const found = await find('www.example');
    const addresses = found?.kind === 'addresses' ? found.addresses : [];
    expect(addresses.toSorted()).toEqual(['203.0.113.1', '203.0.113.2', '203.0.113.3']);
    fronts.push(addresses[0]?.slice(-1) ?? '');
  }
  expect(fronts.join('')).toBe('123123');
});

test('a name whose addresses change is seen to when its time is up', async () => {
  const zone: Zone = { 'www.example': { answers: [a('203.0.113.1', { ttl: 10 })] } };
  const { find, clock } = lookupOver(zone);
  await find('www.example');
  zone['www.example'] = { answers: [a('203.0.113.2', { ttl: 10 })] };
  expect(await find('www.example')).toMatchObject({ addresses: ['203.0.113.1'] });
  clock.ms += 10_000;
  expect(await find('www.example')).toMatchObject({ addresses: ['203.0.113.2'] });
});

test('the cache holds no more entries and bytes than it may; what was used last stays', async () => {
  const zone: Zone = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `n${String(index)}.example`,
      { answers: Array.from({ length: index === 39 ? 250 : 1 }, (_unused, last) => a(`203.0.113.${String(last)}`)) },
    ]),
  );
  const few = lookupOver(zone, { limits: { entries: 10, bytes: 100_000 } });
  for (let index = 0; index < 30; index += 1) {
    await few.find(`n${String(index)}.example`);
    await few.find('n0.example');
  }
  expect(few.cache.size.entries).toBe(10);
  expect(few.asked.filter((name) => name === 'n0.example')).toHaveLength(1);
  const small = lookupOver(zone, { limits: { entries: 1000, bytes: 4000 } });
  for (let index = 0; index < 39; index += 1) await small.find(`n${String(index)}.example`);
  expect(small.cache.size.entries).toBeGreaterThan(10);
  expect(small.cache.size.bytes).toBeLessThanOrEqual(4000);
  expect(await small.find('n39.example')).toMatchObject({ kind: 'addresses' });
  expect(small.cache.size).toEqual({ entries: 0, bytes: 0 });
});
