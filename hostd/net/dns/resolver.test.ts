import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { buildQuery } from '../../../test/doubles/outside-dns.ts';
import { FakeClock } from '../../platform/clock.ts';
import type { Exchange } from './exchange.ts';
import { failureResponse, parseQuery } from './message.ts';
import { UpstreamResolver } from './resolver.ts';

const query = parseQuery(buildQuery('www.example', 'A', 1)) ?? expect.fail('a good query was not read');
const server = (address: string) => ({ address, port: 53 });

/** Answers by address: an RCODE, or `silent` until the time is up. */
function scripted(
  script: Record<string, number | 'silent'>,
  clock: FakeClock,
): { exchange: Exchange; asked: string[] } {
  const asked: string[] = [];
  const exchange: Exchange = (upstream, _query, timeoutMs) => {
    asked.push(upstream.address);
    const code = script[upstream.address] ?? 'silent';
    if (code !== 'silent') return Promise.resolve({ bytes: failureResponse(query, code), code });
    clock.advance(timeoutMs);
    return Promise.resolve(undefined);
  };
  return { exchange, asked };
}

async function resolve(script: Record<string, number | 'silent'>, times = 1) {
  const clock = new FakeClock();
  const { exchange, asked } = scripted(script, clock);
  const resolver = new UpstreamResolver(() => Promise.resolve(Object.keys(script).map(server)), clock);
  let answer = Buffer.alloc(0);
  for (let turn = 0; turn < times; turn += 1) answer = Buffer.from(await resolver.resolve(query, exchange));
  return { code: answer.readUInt8(3) & 15, asked, tookMs: clock.monotonicMs() };
}

test('the first server that answers is enough, and "no such name" is an answer', async () => {
  expect(await resolve({ a: 3, b: 0 })).toMatchObject({ code: 3, asked: ['a'] });
});

test('a server that is silent, fails or refuses is passed over, and not asked first again', async () => {
  expect(await resolve({ a: 'silent', b: 0 }, 2)).toMatchObject({ code: 0, asked: ['a', 'b', 'b'] });
  expect(await resolve({ a: 2, b: 5, c: 0 }, 2)).toMatchObject({ code: 0, asked: ['a', 'b', 'c', 'c'] });
});

test('when all are silent they are asked twice at most, and the client is told in less than five seconds', async () => {
  for (const script of [
    { a: 'silent' },
    { a: 'silent', b: 'silent' },
    { a: 'silent', b: 'silent', c: 'silent' },
  ] as const) {
    const { code, asked, tookMs } = await resolve(script);
    expect(code).toBe(2);
    expect(asked.length).toBeLessThanOrEqual(2 * Object.keys(script).length);
    expect(new Set(asked).size).toBe(Object.keys(script).length);
    expect(tookMs).toBeLessThan(5000);
  }
});

test('when all are unwilling, the client gets what they said', async () => {
  expect((await resolve({ a: 5 })).code).toBe(5);
  expect((await resolve({ a: 2, b: 5 })).code).toBe(5);
});

test('without any server the answer is a failure', async () => {
  expect((await resolve({})).code).toBe(2);
});
