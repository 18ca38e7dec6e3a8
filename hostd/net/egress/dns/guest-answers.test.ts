import { expect, test } from 'vitest';
import { a, cname, soa, txt, zoneAnswer, type Zone } from './testing/zone-server.ts';
import { guestAddress, policyOf, resolverLab, sandboxId } from './testing/resolver-lab.ts';
import { guestQuery } from './testing/guest-message.ts';
import { types } from './wire.ts';

const zone: Zone = {
  'www.example.org': { answers: [a('203.0.113.7'), txt('hello')] },
  'deep.a.example.net': { answers: [a('203.0.113.8')] },
  'example.net': { answers: [a('203.0.113.9')] },
  'evil.example': { answers: [a('203.0.113.66'), txt('orders')] },
  'empty.example.org': { authority: [soa(60)] },
  'broken.example.org': { rcode: 2 },
  'alias.example.org': { answers: [cname('edge.cdn.example'), a('203.0.113.10', { name: 'edge.cdn.example' })] },
};
const rules = [
  'www.example.org',
  '*.example.net',
  'empty.example.org',
  'gone.example.org',
  'broken.example.org',
  'alias.example.org',
];
const enforced = () => resolverLab({ zone, policy: policyOf('enforce', ...rules) });

test.for([
  ['a named host', 'www.example.org', 0, ['203.0.113.7']],
  ['one under a wildcard', 'deep.a.example.net', 0, ['203.0.113.8']],
  ['one behind an alias that no rule names', 'alias.example.org', 0, ['203.0.113.10']],
  ['a named host without addresses', 'empty.example.org', 0, []],
  ['a named host that does not exist', 'gone.example.org', 3, []],
  ['a named host whose servers fail', 'broken.example.org', 2, []],
  ['upper case', 'WwW.eXample.ORG', 0, ['203.0.113.7']],
] as const)('%s is asked for and answered', async ([, name, rcode, addresses]) => {
  const lab = enforced();
  expect(await lab.ask(name)).toMatchObject({ rcode, addresses, name, id: 0x1234 });
  expect(lab.asked).toEqual([name.toLowerCase()]);
});

test.for([
  ['another name', 'evil.example'],
  ['the apex of a wildcard', 'example.net'],
  ['a name that ends alike', 'evilexample.net'],
  ['a name that begins alike', 'www.example.org.evil.example'],
  ['a name below an exact one', 'x.www.example.org'],
  ['a parent', 'example.org'],
  ['one label', 'build-17'],
  ['data in labels', `${'a'.repeat(60)}.${'b'.repeat(60)}.evil.example`],
] as const)('%s does not exist, and nothing is sent', async ([, name]) => {
  const lab = enforced();
  const reply = await lab.ask(name);
  expect(reply).toMatchObject({ rcode: 3, addresses: [], authority: 0, name });
  expect(lab.asked).toEqual([]);
  expect(lab.observed).toEqual([{ sandboxId, outcome: 'denied', reason: 'dns-name', name, transport: 'udp' }]);
});

test('labels of bytes that no host has match no rule and are shown escaped', async () => {
  const dotted = Buffer.concat([Buffer.from([15]), Buffer.from('www.example.org'), Buffer.from([0])]);
  const spaced = Buffer.from([3, 0x61, 0x20, 0xff, 7, ...Buffer.from('example'), 3, ...Buffer.from('net'), 0]);
  const lab = enforced();
  expect(await lab.ask({ name: dotted })).toMatchObject({ rcode: 3 });
  expect(await lab.ask({ name: spaced })).toMatchObject({ rcode: 3 });
  expect(lab.observed.map((one) => one.name)).toEqual(['www\\046example\\046org', 'a\\032\\255.example.net']);
  expect(lab.asked).toEqual([]);
});

test('an empty list names nothing; without a network there are no names at all', async () => {
  for (const mode of ['enforce', 'none'] as const) {
    const lab = resolverLab({ zone, policy: policyOf(mode) });
    expect((await lab.ask('www.example.org')).rcode).toBe(3);
    expect((await lab.ask({ name: 'localhost' })).rcode).toBe(mode === 'none' ? 3 : 0);
    expect(lab.asked).toEqual([]);
  }
});

test('under a list, only addresses are ever asked for', async () => {
  const treatment: Record<string, [number, 'denied' | 'quiet']> = {
    aaaa: [0, 'quiet'],
    https: [0, 'quiet'],
    svcb: [0, 'quiet'],
    mx: [0, 'quiet'],
    srv: [0, 'quiet'],
    ns: [0, 'quiet'],
    cname: [0, 'quiet'],
    caa: [0, 'quiet'],
    txt: [0, 'denied'],
    null: [0, 'denied'],
    any: [4, 'denied'],
    axfr: [5, 'denied'],
    ixfr: [5, 'denied'],
  };
  for (const [type, [rcode, news]] of Object.entries(treatment)) {
    const lab = enforced();
    const reply = await lab.ask({
      name: 'www.example.org',
      type: Object.entries(types).find(([key]) => key === type)?.[1] ?? 0,
    });
    expect([type, reply.rcode, reply.answers, lab.asked]).toEqual([type, rcode, [], []]);
    const expected = { sandboxId, outcome: 'denied', reason: 'protocol', name: 'www.example.org', transport: 'udp' };
    expect([type, lab.observed]).toEqual([type, news === 'denied' ? [expected] : []]);
  }
});

test('whatever the type, a name that is not on the list does not exist', async () => {
  for (const type of [...Object.values(types), 99, 65_280]) {
    const lab = enforced();
    expect((await lab.ask({ name: 'evil.example', type })).rcode).toBe(3);
    expect(lab.asked).toEqual([]);
    expect(lab.observed).toMatchObject([{ outcome: 'denied', reason: 'dns-name' }]);
  }
});

test('looking for services of a named host and for reverse names is no denial', async () => {
  const lab = enforced();
  expect(await lab.ask({ name: '_https._tcp.www.example.org', type: types.srv })).toMatchObject({
    rcode: 0,
    answers: [],
  });
  expect(await lab.ask({ name: '_8443._https.www.example.org', type: types.https })).toMatchObject({
    rcode: 0,
    answers: [],
  });
  expect(await lab.ask({ name: '7.113.0.203.in-addr.arpa', type: types.ptr })).toMatchObject({ rcode: 3 });
  expect([lab.observed, lab.asked]).toEqual([[], []]);
  expect(await lab.ask({ name: '_https._tcp.evil.example', type: types.srv })).toMatchObject({ rcode: 3 });
  expect(await lab.ask({ name: '_x.www.example.org', type: types.a })).toMatchObject({ rcode: 3 });
  expect(lab.observed).toHaveLength(2);
});

test('localhost is answered on the spot', async () => {
  const lab = enforced();
  expect(await lab.ask('localhost')).toMatchObject({ rcode: 0, addresses: ['127.0.0.1'] });
  expect(await lab.ask('app.localhost')).toMatchObject({ rcode: 0, addresses: ['127.0.0.1'] });
  expect(await lab.ask({ name: 'localhost', type: types.aaaa })).toMatchObject({ rcode: 0, answers: [] });
  expect(await lab.ask('notlocalhost')).toMatchObject({ rcode: 3 });
  expect(lab.asked).toEqual([]);
});

test('an audited sandbox gets every answer, and what a list would deny is recorded', async () => {
  const lab = resolverLab({ zone, policy: policyOf('audit', 'www.example.org') });
  expect(await lab.ask('www.example.org')).toMatchObject({ rcode: 0, addresses: ['203.0.113.7'] });
  expect(await lab.ask('evil.example')).toMatchObject({ rcode: 0, addresses: ['203.0.113.66'] });
  expect(await lab.ask('nowhere.example')).toMatchObject({ rcode: 3 });
  expect((await lab.ask({ name: 'eVil.example', type: types.txt })).answers).toHaveLength(1);
  expect((await lab.ask({ name: 'www.example.org', type: types.txt })).answers).toHaveLength(1);
  expect((await lab.ask({ name: 'evil.example', type: types.https })).answers).toEqual([]);
  expect(await lab.ask({ name: 'evil.example', type: types.any })).toMatchObject({ rcode: 4 });
  expect(lab.asked).toEqual(['www.example.org', 'evil.example', 'nowhere.example', 'evil.example', 'www.example.org']);
  const wouldDeny = { sandboxId, outcome: 'would-deny', transport: 'udp' };
  expect(lab.observed).toEqual([
    { sandboxId, outcome: 'allowed', name: 'www.example.org', transport: 'udp' },
    { ...wouldDeny, reason: 'dns-name', name: 'evil.example' },
    { ...wouldDeny, reason: 'dns-name', name: 'evil.example' },
    { ...wouldDeny, reason: 'protocol', name: 'www.example.org' },
    { sandboxId, outcome: 'denied', reason: 'protocol', name: 'evil.example', transport: 'udp' },
  ]);
});

test('data that is passed on comes whole over TCP and cut over UDP, under the question as it was asked', async () => {
  const lab = resolverLab({
    zone: { 'big.example': { answers: Array.from({ length: 10 }, () => txt('x'.repeat(200))), authority: [soa(5)] } },
    policy: policyOf('audit'),
  });
  const query = { name: 'BIG.example', type: types.txt };
  expect(await lab.ask(query)).toMatchObject({ truncated: true, answers: [], name: 'BIG.example' });
  const whole = await lab.ask(query, 'tcp');
  expect([whole.truncated, whole.answers.length, whole.authority, whole.name]).toEqual([false, 10, 0, 'BIG.example']);
  expect(whole.answers.every((record) => record.name === 'big.example')).toBe(true);
});

test('who is no sandbox gets no answer', async () => {
  const lab = enforced();
  expect(await lab.resolver.answerQuery('10.83.0.3', 'udp', guestQuery({ name: 'www.example.org' }))).toBeUndefined();
  expect(await lab.resolver.answerQuery(guestAddress, 'udp', guestQuery({ name: 'www.example.org' }))).toBeDefined();
});

test('a policy that changes while servers are asked decides about the answer', async () => {
  const waiting = Promise.withResolvers<undefined>();
  const inner = enforced();
  const lab = resolverLab({
    policy: policyOf('enforce', 'www.example.org:22'),
    upstream: {
      resolve: async (query) => {
        await waiting.promise;
        return (await inner.resolver.answerQuery(guestAddress, 'udp', query.bytes)) ?? Buffer.alloc(0);
      },
    },
  });
  const asking = lab.ask('www.example.org');
  lab.setPolicy(policyOf('enforce', 'other.example.org'));
  waiting.resolve(undefined);
  expect(await asking).toMatchObject({ rcode: 3, addresses: [] });
  expect(lab.sink.log).toEqual([]);
  expect(lab.observed).toMatchObject([{ outcome: 'denied', reason: 'dns-name' }]);
});

test('data asked for under an audit is held back by a list that is in force when it comes', async () => {
  const waiting = Promise.withResolvers<undefined>();
  const lab = resolverLab({
    policy: policyOf('audit'),
    upstream: {
      resolve: async (query) => {
        await waiting.promise;
        return zoneAnswer(query.bytes, zone, 'udp');
      },
    },
  });
  const asking = lab.ask({ name: 'evil.example', type: types.txt });
  lab.setPolicy(policyOf('enforce', 'evil.example'));
  waiting.resolve(undefined);
  expect((await asking).answers).toEqual([]);
});

test('a policy takes effect with the next query, and closes what the last one had opened', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'www.example.org:22') });
  expect((await lab.ask('www.example.org')).rcode).toBe(0);
  expect(lab.sink.open.size).toBe(1);
  lab.setPolicy(policyOf('enforce', 'evil.example'));
  await lab.resolver.policyChanged(sandboxId);
  expect(lab.sink.open.size).toBe(0);
  expect((await lab.ask('www.example.org')).rcode).toBe(3);
  expect((await lab.ask('evil.example')).rcode).toBe(0);
});

test('a policy that changes just before pins are made decides about them', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'www.example.org:22') });
  lab.observed.push = () => {
    // The answer is decided, its pins are not made yet.
    lab.setPolicy(policyOf('enforce', 'evil.example'));
    void lab.resolver.policyChanged(sandboxId);
    return 0;
  };
  await lab.ask('www.example.org');
  expect(lab.sink.log).toEqual([]);
});

test('a sandbox that is gone leaves no pins behind', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'www.example.org:22') });
  await lab.ask('www.example.org');
  lab.resolver.forget(sandboxId);
  expect(lab.resolver.pins.documentOf(sandboxId).pins).toEqual([]);
});
