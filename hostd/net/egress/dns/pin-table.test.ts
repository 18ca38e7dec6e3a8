import { expect, test } from 'vitest';
import { compilePolicy } from '../policy/policy.ts';
import { minPinMs, type Pin } from './pin-document.ts';
import { PinTable } from './pin-table.ts';
import { describe, policyOf, RecordingSink, resolverLab, sandboxId } from './testing/resolver-lab.ts';
import { a, type Zone } from './testing/zone-server.ts';

const ssh: Pin = { address: '203.0.113.7', port: 22, transport: 'tcp', name: 'git.example' };
const minute = 60_000;
const hour = 60 * minute;
const view = (...rules: string[]) => compilePolicy(policyOf('enforce', ...rules), { own: [] });

function table() {
  const clock = { ms: 5_000_000 };
  const sink = new RecordingSink();
  return { clock, sink, pins: new PinTable(sink, () => clock.ms) };
}

const opened = (pin: Pin, sandbox = sandboxId) => describe(sandbox, pin);

test('an answer goes out only when its pins are in force', async () => {
  const zone: Zone = { 'git.example': { answers: [a('203.0.113.7'), a('203.0.113.8')] } };
  const lab = resolverLab({
    zone,
    policy: policyOf('enforce', 'git.example:22', 'udp:git.example:51820', 'git.example'),
  });
  const inForce = Promise.withResolvers<undefined>();
  lab.sink.delay = () => inForce.promise;
  let answered = false;
  const asking = Promise.all([lab.ask('git.example'), lab.ask('git.example')]).then((replies) => {
    answered = true;
    return replies;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answered).toBe(false);
  inForce.resolve(undefined);
  for (const reply of await asking) expect(reply.addresses.toSorted()).toEqual(['203.0.113.7', '203.0.113.8']);
  expect(lab.sink.log.toSorted()).toEqual([
    `+ ${sandboxId} tcp 203.0.113.7 22`,
    `+ ${sandboxId} tcp 203.0.113.8 22`,
    `+ ${sandboxId} udp 203.0.113.7 51820`,
    `+ ${sandboxId} udp 203.0.113.8 51820`,
  ]);
});

test('who needs a pin that is being made for another waits for it, and fails with it', async () => {
  const { pins, sink } = table();
  const slow = Promise.withResolvers<undefined>();
  sink.delay = () => slow.promise;
  const first = pins.pin(sandboxId, [ssh], 5000);
  let done = false;
  const second = pins.pin(sandboxId, [ssh], 5000).finally(() => {
    done = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(done).toBe(false);
  sink.failing = true;
  slow.resolve(undefined);
  expect((await Promise.allSettled([first, second])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a pin that can’t be made is a failure for the guest, and tried again with the next query', async () => {
  const zone: Zone = { 'git.example': { answers: [a('203.0.113.7')] } };
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'git.example:22') });
  lab.sink.failing = true;
  expect(await lab.ask('git.example')).toMatchObject({ rcode: 2, addresses: [] });
  lab.sink.failing = false;
  expect(await lab.ask('git.example')).toMatchObject({ rcode: 0, addresses: ['203.0.113.7'] });
  expect(lab.sink.open.size).toBe(1);
});

test('names that only the proxy serves, and names an audit lets through, are not pinned', async () => {
  const zone: Zone = { 'git.example': { answers: [a('203.0.113.7')] } };
  for (const policy of [policyOf('enforce', 'git.example'), policyOf('audit')]) {
    const lab = resolverLab({ zone, policy });
    expect((await lab.ask('git.example')).addresses).toHaveLength(1);
    expect(lab.sink.log).toEqual([]);
  }
});

test.for([
  ['a short TTL', 5, minute, 3 * minute],
  ['a usual one', 300, 300_000, 480_000],
  ['a day', 86_400, hour - 30_000, hour],
] as const)(
  '%s gives a pin at least a minute, at most an hour and not less than the client may use it',
  async ([, ttl, atLeast, atMost]) => {
    const zone: Zone = { 'git.example': { answers: [a('203.0.113.7', { ttl })] } };
    const lab = resolverLab({ zone, policy: policyOf('enforce', 'git.example:22') });
    const reply = await lab.ask('git.example');
    const lifetimeMs = lab.sink.open.get(opened(ssh)) ?? 0;
    expect(lifetimeMs).toBeGreaterThanOrEqual(atLeast);
    expect(lifetimeMs).toBeLessThanOrEqual(atMost);
    expect(lifetimeMs).toBeGreaterThan((reply.ttls[0] ?? 0) * 1000);
  },
);

test('every answer has at least a minute of pin left, without telling the sink each time', async () => {
  const { pins, sink, clock } = table();
  let endMs = 0;
  for (let second = 0; second < 600; second += 1) {
    const before = sink.log.length;
    await pins.pin(sandboxId, [ssh], 5000);
    if (sink.log.length > before) endMs = clock.ms + (sink.open.get(opened(ssh)) ?? 0);
    expect(endMs - clock.ms).toBeGreaterThanOrEqual(minPinMs);
    clock.ms += 1000;
  }
  expect(sink.log.length).toBeLessThan(20);
});

test('a pin lives on while a flow uses it, and ends when none does', async () => {
  const { pins, sink, clock } = table();
  const other: Pin = { ...ssh, address: '203.0.113.8' };
  await pins.pin(sandboxId, [ssh, other], 5000);
  sink.used = [ssh];
  const additions = () => sink.log.filter((line) => line === `+ ${opened(ssh)}`).length;
  for (let turn = 0; turn < 30; turn += 1) {
    clock.ms += 20_000;
    await pins.renewInUse();
  }
  expect(additions()).toBeGreaterThan(5);
  expect(pins.documentOf(sandboxId).pins).toMatchObject([{ address: ssh.address }]);
  expect(sink.log.filter((line) => line === `+ ${opened(other)}`)).toHaveLength(1);
  sink.used = [];
  clock.ms += 200_000;
  await pins.renewInUse();
  expect(pins.documentOf(sandboxId).pins).toEqual([]);
});

test('between two looks no pin in use ends', async () => {
  const { pins, sink, clock } = table();
  let endMs = 0;
  sink.used = [ssh];
  await pins.pin(sandboxId, [ssh], 5000);
  for (let turn = 0; turn < 60; turn += 1) {
    endMs = Math.max(endMs, clock.ms + (sink.open.get(opened(ssh)) ?? 0));
    sink.open.clear();
    clock.ms += 20_000;
    expect(endMs).toBeGreaterThan(clock.ms);
    await pins.renewInUse();
  }
});

test('a change of policy closes what no rule supports, and only that', async () => {
  const { pins, sink } = table();
  const smtp: Pin = { ...ssh, port: 25, name: 'mail.example' };
  const all: Pin = { ...ssh, port: 'any', name: 'all.example' };
  const wire: Pin = { ...ssh, port: 51_820, transport: 'udp' };
  await pins.pin(sandboxId, [ssh, smtp, all, wire], 5000);
  await pins.retain(sandboxId, view('git.example:22', 'mail.example:26', 'all.example:22', 'git.example:51820'));
  expect([...sink.open.keys()]).toEqual([opened(ssh)]);
  await pins.retain(sandboxId, view());
  expect([...sink.open.keys()]).toEqual([]);
  expect(pins.documentOf(sandboxId).pins).toEqual([]);
});

test('a rule that loses the word `private` closes its private addresses', async () => {
  const { pins, sink } = table();
  const inner: Pin = { ...ssh, address: '10.0.0.5' };
  await pins.restore(
    sandboxId,
    { version: 1, pins: [{ ...inner, remainingMs: 1000 }] },
    view('git.example:22 private'),
  );
  expect(sink.open.size).toBe(1);
  await pins.retain(sandboxId, view('git.example:22'));
  expect(sink.open.size).toBe(0);
});

test('an address that two names lead to stays open until the second goes, and as long as the longer one', async () => {
  const { pins, sink } = table();
  const twin: Pin = { ...ssh, name: 'mirror.example' };
  await pins.pin(sandboxId, [ssh], hour);
  await pins.pin(sandboxId, [twin], 5000);
  expect(sink.open.get(opened(ssh))).toBe(hour);
  await pins.retain(sandboxId, view('mirror.example:22'));
  expect([...sink.open.keys()]).toEqual([opened(ssh)]);
  await pins.retain(sandboxId, view('git.example:22'));
  expect(sink.open.size).toBe(0);
});

test('a policy that revokes a name while its pin is being made leaves it closed', async () => {
  const { pins, sink } = table();
  const slow = Promise.withResolvers<undefined>();
  sink.delay = () => slow.promise;
  const pinning = pins.pin(sandboxId, [ssh], 5000);
  const retaining = pins.retain(sandboxId, view());
  slow.resolve(undefined);
  await Promise.all([pinning, retaining]);
  expect(sink.log).toEqual([`+ ${opened(ssh)}`, `- ${opened(ssh)}`]);
  await pins.pin(sandboxId, [ssh], 5000);
  expect(sink.open.size).toBe(1);
});

test('what could not be closed is closed by the next try', async () => {
  const { pins, sink } = table();
  await pins.pin(sandboxId, [ssh], 5000);
  sink.failing = true;
  await expect(pins.retain(sandboxId, view())).rejects.toThrow('no such set');
  expect(pins.documentOf(sandboxId).pins).toEqual([]);
  sink.failing = false;
  await pins.retain(sandboxId, view());
  expect(sink.open.size).toBe(0);
});

test('a policy that closes a pin in use is not undone by its renewal', async () => {
  const { pins, sink, clock } = table();
  await pins.pin(sandboxId, [ssh], 5000);
  sink.used = [ssh];
  clock.ms += 100_000;
  const renewing = pins.renewInUse();
  const retaining = pins.retain(sandboxId, view());
  await Promise.all([renewing, retaining]);
  expect(sink.open.size).toBe(0);
});

test('pins go through JSON to another sandbox, as old as they were', async () => {
  const first = table();
  await first.pins.pin(sandboxId, [ssh, { ...ssh, port: 'any', name: 'all.example' }], 30 * minute);
  first.clock.ms += 10 * minute;
  const text = JSON.stringify(first.pins.documentOf(sandboxId));
  const second = table();
  await second.pins.restore('sbx_copy', JSON.parse(text), view('git.example:22', 'all.example:*'));
  expect([...second.sink.open.keys()].toSorted()).toEqual([
    'sbx_copy tcp 203.0.113.7 22',
    'sbx_copy tcp 203.0.113.7 any',
  ]);
  for (const lifetimeMs of second.sink.open.values()) {
    expect(lifetimeMs).toBeGreaterThan(20 * minute);
    expect(lifetimeMs).toBeLessThan(25 * minute);
  }
  await second.pins.restore('sbx_other', JSON.parse(text), view('all.example:*'));
  expect(second.pins.documentOf('sbx_other').pins).toMatchObject([{ name: 'all.example', port: 'any' }]);
});

test.for([
  ['no document', 'pins'],
  ['another version', { version: 2, pins: [] }],
  ['no address', { version: 1, pins: [{ ...ssh, address: 'git.example', remainingMs: 1 }] }],
  ['no port', { version: 1, pins: [{ ...ssh, port: 0, remainingMs: 1 }] }],
  ['a life beyond an hour', { version: 1, pins: [{ ...ssh, remainingMs: 2 * hour }] }],
] as const)('a document that is or has %s is refused whole', async ([, document]) => {
  const { pins, sink } = table();
  await expect(pins.restore(sandboxId, document, view('git.example:22'))).rejects.toThrow();
  expect(sink.log).toEqual([]);
});

test('a name that leads to ever new addresses pushes out its oldest pins', async () => {
  const { pins, sink } = table();
  const addressOf = (index: number) => `198.51.${String(index >> 8)}.${String(index & 255)}`;
  for (let index = 0; index < 4100; index += 1)
    await pins.pin(sandboxId, [{ ...ssh, address: addressOf(index) }, ...(index % 100 === 0 ? [ssh] : [])], 5000);
  expect(sink.open.has(opened(ssh))).toBe(true);
  expect(sink.open.size).toBe(4096);
  expect(sink.open.has(opened({ ...ssh, address: addressOf(3) }))).toBe(false);
  expect(sink.open.has(opened({ ...ssh, address: addressOf(4099) }))).toBe(true);
});

test('a name with more addresses than can be pinned is answered with those that are', async () => {
  const addresses = Array.from({ length: 250 }, (_, index) => a(`203.0.113.${String(index)}`));
  const rules = Array.from({ length: 10 }, (_, index) => `git.example:${String(9000 + index)}`);
  const lab = resolverLab({ zone: { 'git.example': { answers: addresses } }, policy: policyOf('enforce', ...rules) });
  const reply = await lab.ask('git.example', 'tcp');
  expect(reply.addresses).toHaveLength(102);
  expect(lab.sink.open.size).toBe(1020);
  for (const address of reply.addresses) expect(lab.sink.open.has(opened({ ...ssh, address, port: 9009 }))).toBe(true);
});

test('each sandbox has its own pins; one that is gone leaves none', async () => {
  const { pins, sink } = table();
  await pins.pin('sbx_a', [ssh], 5000);
  await pins.pin('sbx_b', [ssh], 5000);
  await pins.retain('sbx_a', view());
  expect([...sink.open.keys()]).toEqual([opened(ssh, 'sbx_b')]);
  pins.forget('sbx_b');
  expect(pins.documentOf('sbx_b').pins).toEqual([]);
});

test('any number of names for one address takes little, and the first one’s programs reach it as long as they were told', async () => {
  const { pins, sink, clock } = table();
  const named = (number: number): Pin => ({ ...ssh, name: `n${String(number)}.git.example` });
  await pins.pin(sandboxId, [named(0)], hour);
  const lives: number[] = [];
  sink.add = (_sandbox, _pin, lifetimeMs) => {
    lives.push(lifetimeMs);
    return Promise.resolve();
  };
  for (let number = 1; number <= 1000; number += 1) {
    clock.ms += 10;
    await pins.pin(sandboxId, [named(number)], 5000);
  }
  const document = pins.documentOf(sandboxId);
  expect(document.pins).toHaveLength(20);
  expect(Math.min(...lives)).toBe(hour - 10_000);
  // A change of policy goes by the names asked for last.
  await pins.retain(sandboxId, view('n1000.git.example:22'));
  expect(pins.documentOf(sandboxId).pins).toMatchObject([named(1000)]);
});
