import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { isOffshootError, type Sandbox } from '../../hostd/client/index.ts';
import { guestQuery } from '../../hostd/net/egress/dns/testing/guest-message.ts';
import { helloBody, helloFor, helloRecords } from '../../hostd/net/egress/proxy/testing/hello-bytes.ts';
import { allowedCases } from './allowed-cases.ts';
import { deniedCases } from './denied-cases.ts';
import { useEgressWorld } from './use-egress-world.ts';
import { sees, type GuestProbe } from './guest-probe.ts';
import { at, batteryRules } from './outside-of-battery.ts';
import { cameOut, runCases } from './run-cases.ts';

/** Generated nonsense, the same in each run: nobody falls, and nothing opens. */

const suite = useEgressWorld();
const smoke = [...allowedCases, ...deniedCases].filter((one) => one.smoke === true);
const generated = { numRuns: 500, seed: 6 };
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.world.create({ egress: [...batteryRules] });
}, 300_000);

const helpers = () => Promise.all((['proxy', 'resolver'] as const).map((role) => suite.world.helper(role)));

/** A whole message with a few bytes changed, and cut off or not. */
function damaged(whole: Buffer): fc.Arbitrary<Buffer> {
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  return fc.tuple(changes, fc.nat(whole.length)).map(([edits, cut]) => {
    const copy = Buffer.from(whole);
    for (const [offset, value] of edits) copy.writeUInt8(value, offset);
    return cut % 3 === 0 ? copy.subarray(0, cut) : copy;
  });
}

const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));

async function send(
  messages: readonly Buffer[],
  to: Omit<GuestProbe & { kind: 'bytes' }, 'kind' | 'base64'>,
): Promise<void> {
  const probes = messages.map((bytes): GuestProbe => ({ kind: 'bytes', ...to, base64: bytes.toString('base64') }));
  expect(new Set(await sees(sandbox, probes))).toEqual(new Set(['sent']));
}

test('500 broken rules: each is refused and changes nothing, or is a rule', async () => {
  const good = fc.constantFrom(
    'allowed.example',
    '*.wild.example:443,80',
    'udp:192.0.2.1:7',
    '10.0.0.0/8:22',
    '[2001:db8::1]:9',
  );
  const odd = fc.constantFrom(
    '*',
    '*.com',
    'http://a.example/x',
    'a.example:0',
    'a.example:65536',
    '0.0.0.0/33',
    'a..b',
    '-a.example',
  );
  const edited = fc
    .tuple(good, fc.nat(20), fc.string({ minLength: 1, maxLength: 4, unit: 'binary' }))
    .map(([rule, where, text]) => {
      return rule.slice(0, where) + text + rule.slice(where + 1);
    });
  const rules = fc.array(fc.oneof(edited, odd, fc.string({ maxLength: 40, unit: 'binary' }), good), {
    minLength: 1,
    maxLength: 4,
  });
  let inForce = (await sandbox.egressReport()).policy;
  const outcomes = { refused: 0, accepted: 0 };
  for (const allow of fc.sample(rules, generated)) {
    try {
      inForce = await sandbox.setEgress(allow);
      outcomes.accepted += 1;
    } catch (error) {
      if (!isOffshootError(error) || !['egress-rules-invalid', 'invalid-request'].includes(error.code)) throw error;
      outcomes.refused += 1;
    }
  }
  expect((await sandbox.egressReport()).policy).toEqual(inForce);
  expect(outcomes.refused).toBeGreaterThan(100);
  await sandbox.setEgress([...batteryRules]);
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
}, 240_000);

test('500 broken DNS messages, by UDP and TCP', async () => {
  const before = await helpers();
  const message = fc.oneof(
    anyBytes,
    damaged(guestQuery({ name: 'allowed.example' })),
    damaged(guestQuery({ name: 'www.wild.example', edns: { options: Buffer.from([0, 8, 0, 4, 0, 1, 0, 0]) } })),
  );
  const messages = fc.sample(message, generated);
  const seenBefore = suite.world.outside.arrivals.length;
  const framed = messages.map((bytes) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]));
  await send(messages.slice(0, 300), { to: '@gateway', port: 53, over: 'udp' });
  await send(framed.slice(300), { to: '@gateway', port: 53, timeoutSeconds: 2 });
  expect(await cameOut(suite.world, seenBefore)).toEqual([]);
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
  expect(await helpers()).toEqual(before);
}, 240_000);

test('500 broken ClientHellos and requests', async () => {
  const before = await helpers();
  const hello = fc.oneof(
    anyBytes,
    anyBytes.map((bytes) => helloRecords(bytes)),
    fc
      .record({ names: fc.array(fc.record({ type: fc.nat(3), text: fc.string({ maxLength: 30 }) }), { maxLength: 3 }) })
      .map((parts) => helloRecords(helloBody(parts), 50)),
    damaged(helloFor('denied.example')),
  );
  const request = fc.oneof(
    anyBytes,
    damaged(Buffer.from('GET /who HTTP/1.1\r\nHost: denied.example\r\nContent-Length: 3\r\n\r\nabc')),
    damaged(
      Buffer.from('POST http://denied.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    ),
  );
  const seenBefore = suite.world.outside.arrivals.length;
  const to = { to: at.evil, timeoutSeconds: 2 };
  await send(fc.sample(hello, { ...generated, numRuns: 350 }), { ...to, port: 443 });
  await send(fc.sample(request, { ...generated, numRuns: 150 }), { ...to, port: 80 });
  expect(await cameOut(suite.world, seenBefore, () => false)).toEqual([]);
  expect(await runCases(suite.world, sandbox, smoke)).toEqual([]);
  expect(await helpers()).toEqual(before);
}, 240_000);
