import { expect, test } from 'vitest';
import { policyOf, resolverLab, sandboxId } from './testing/resolver-lab.ts';
import { a, type Zone } from './testing/zone-server.ts';

const everything: Zone = new Proxy<Zone>({}, { get: () => ({ answers: [a('203.0.113.7', { ttl: 5 })] }) });
const lab = (...rules: string[]) => resolverLab({ zone: everything, policy: policyOf('enforce', ...rules) });
const chunk = (index: number) => `${String(index).padStart(8, '0')}.example.org`;

test('names under a wildcard are bounded in length', async () => {
  const one = lab('*.example.org');
  const bucket = `${'b'.repeat(63)}.s3.dualstack.us-east-1.example.org`;
  expect((await one.ask(bucket)).rcode).toBe(0);
  for (const name of [`${'a'.repeat(61)}.${'b'.repeat(61)}.example.org`, 'a.b.c.d.e.f.g.h.i.example.org']) {
    expect((await one.ask(name)).rcode).toBe(3);
    expect(one.observed.at(-1)).toMatchObject({ outcome: 'denied', reason: 'dns-name', name });
  }
  expect(one.asked).toEqual([bucket]);
});

test('an exact rule names long names too', async () => {
  const name = `${'a'.repeat(61)}.${'b'.repeat(61)}.example.org`;
  expect((await lab('*.example.org', name).ask(name)).rcode).toBe(0);
});

test('a message cut into names under a wildcard gets no further than a hundred, then one a second', async () => {
  const one = lab('*.example.org');
  for (let index = 0; index < 500; index += 1) {
    if (index % 4 === 0) one.clock.ms += 10;
    await one.ask(chunk(index));
  }
  expect(one.asked.length).toBe(101);
  expect(one.observed.at(-1)).toMatchObject({ outcome: 'denied', reason: 'dns-name', name: '*.example.org' });
  expect((await one.ask(chunk(999))).rcode).toBe(2);
  one.clock.ms += 10_000;
  for (let index = 1000; index < 1050; index += 1) await one.ask(chunk(index));
  expect(one.asked.length).toBe(111);
});

test('the proxy’s questions count as well', async () => {
  const one = lab('*.example.org');
  for (let index = 0; index < 300; index += 1) await one.resolver.resolveForProxy(sandboxId, chunk(index));
  expect(one.asked.length).toBe(100);
});

test('names asked before, and names that rules spell out, are asked again without end', async () => {
  const one = lab('*.example.org', 'www.example.org', 'api.example.net');
  for (let index = 0; index < 100; index += 1) await one.ask(chunk(index));
  for (let turn = 0; turn < 20; turn += 1) {
    one.clock.ms += 5000;
    const names = [...Array.from({ length: 100 }, (_, index) => chunk(index)), 'www.example.org', 'api.example.net'];
    for (const name of names) expect((await one.ask(name)).rcode).toBe(0);
  }
  expect(one.asked.length).toBe(100 + 20 * 102);
});

test('beyond 500 queries a second the answer is a failure, from then on again', async () => {
  const one = lab('www.example.org');
  const rcodes = await Promise.all(
    Array.from({ length: 600 }, async (_, index) => {
      // One after the other, as 64 may wait at once.
      await new Promise((resolve) => setTimeout(resolve, index / 10));
      return (await one.ask('www.example.org')).rcode;
    }),
  );
  expect(rcodes.filter((rcode) => rcode === 0)).toHaveLength(500);
  expect(rcodes.filter((rcode) => rcode === 2)).toHaveLength(100);
  one.clock.ms += 100;
  expect((await one.ask('www.example.org')).rcode).toBe(0);
});

test('64 queries wait for servers at once, further ones fail at once', async () => {
  const waiting = Promise.withResolvers<undefined>();
  const one = resolverLab({
    policy: policyOf('enforce', '*.example.org'),
    upstream: {
      resolve: async () => {
        await waiting.promise;
        return Buffer.alloc(0);
      },
    },
  });
  const first = Array.from({ length: 64 }, (_, index) => one.ask(chunk(index)));
  expect((await one.ask('www.example.org')).rcode).toBe(2);
  waiting.resolve(undefined);
  await Promise.all(first);
  expect((await one.ask('localhost')).rcode).toBe(0);
});
