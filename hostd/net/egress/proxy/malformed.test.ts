import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProxyListener } from './options.ts';
import { helloBody, helloFor, helloRecords } from './testing/hello-bytes.ts';
import { addresses, echoServer, Lab, untilClosed } from './testing/lab.ts';

let lab: Lab;
let tls: ProxyListener;
let http: ProxyListener;

/** Nothing here names an allowed host, so whatever is dialled is a hole. */
beforeAll(async () => {
  lab = await Lab.open(['allowed.test:443,80'], { nameDeadlineMs: 300, lingerMs: 20 });
  lab.zone.set('allowed.test', [addresses.good]);
  await lab.serve(addresses.good, 443, echoServer());
  await lab.serve(addresses.good, 80, echoServer());
  tls = await lab.listen('tls');
  http = await lab.listen('http');
});

afterAll(async () => {
  await lab.close();
});

async function send(listener: ProxyListener, pieces: readonly Buffer[]): Promise<void> {
  const guest = lab.connect(listener);
  for (const piece of pieces) if (piece.length > 0) guest.write(piece);
  guest.end();
  await untilClosed(guest);
}

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const points = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return points.map((point, index) => bytes.subarray(points[index - 1] ?? 0, point));
}

const someBytes = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes));
const cuts = fc.array(fc.nat(400), { maxLength: 3 });

const brokenHello = fc.oneof(
  someBytes,
  someBytes.map((bytes) => helloRecords(bytes)),
  fc
    .record({ names: fc.array(fc.record({ type: fc.nat(3), text: fc.string({ maxLength: 30 }) }), { maxLength: 3 }) })
    .map((parts) => helloRecords(helloBody(parts), 50)),
  fc.tuple(fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 6 })).map(([changes]) => {
    const bytes = Buffer.from(helloFor('denied.example'));
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    return bytes;
  }),
);

const line = fc.oneof(
  fc.constantFrom(
    'Host: denied.example',
    'Host: allowed.test:81',
    'Host: allowed.test\0',
    'Host:',
    'Content-Length: 5',
  ),
  fc.constantFrom(
    'Transfer-Encoding: chunked',
    'Connection: Upgrade',
    'Upgrade: h2c',
    'Expect: 100-continue',
    ' folded',
  ),
  fc.string({ maxLength: 20 }),
);
const start = fc.oneof(
  fc.constantFrom(
    'GET / HTTP/1.1',
    'POST http://denied.example/ HTTP/1.1',
    'CONNECT allowed.test:80 HTTP/1.1',
    'GET / HTTP/1.0',
  ),
  fc.string({ maxLength: 30 }),
);
const brokenHead = fc
  .tuple(start, fc.array(line, { maxLength: 5 }), fc.constantFrom('\r\n', '\n', '\r'), someBytes)
  .map(([first, lines, end, rest]) =>
    Buffer.concat([Buffer.from([first, ...lines, '', ''].join(end), 'latin1'), rest]),
  );

test('500 malformed ClientHellos: no crash, nothing dialled', async () => {
  await fc.assert(
    fc.asyncProperty(brokenHello, cuts, async (bytes, at) => {
      await send(tls, pieces(bytes, at));
    }),
    { numRuns: 500 },
  );
  expect(lab.dialled).toEqual([]);
  const guest = lab.connect(tls);
  guest.end(helloFor('allowed.test'));
  expect((await untilClosed(guest)).bytes.equals(helloFor('allowed.test'))).toBe(true);
  lab.dialled.length = 0;
});

test('500 malformed request heads: no crash, nothing dialled', async () => {
  await fc.assert(
    fc.asyncProperty(brokenHead, cuts, async (bytes, at) => {
      await send(http, pieces(bytes, at));
    }),
    { numRuns: 500 },
  );
  expect(lab.dialled).toEqual([]);
  const guest = lab.connect(http);
  guest.end('GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n');
  expect((await untilClosed(guest)).bytes.toString()).toContain('403');
});
