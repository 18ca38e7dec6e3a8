import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientHelloReader, type HelloProgress } from './client-hello-reader.ts';
import { helloBody, helloFor, helloRecords, type HelloParts } from './testing/hello-bytes.ts';

const maxBytes = 64 * 1024;

function read(bytes: Buffer, segmentLength = bytes.length): HelloProgress {
  const reader = new ClientHelloReader(maxBytes);
  for (let at = 0; at < bytes.length; at += segmentLength) {
    const progress = reader.push(bytes.subarray(at, at + segmentLength));
    if (progress.state !== 'more') return progress;
  }
  return { state: 'more' };
}

function named(parts: HelloParts): HelloProgress {
  return read(helloRecords(helloBody(parts)));
}

test('the name in a ClientHello that OpenSSL made is read', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const client = connectTls({ port, host: '127.0.0.1', servername: 'Www.Good.test' });
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [NodeJS.ReadableStream];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  server.close();
  expect(read(bytes)).toEqual({ state: 'read', serverName: { kind: 'name', name: 'www.good.test' } });
});

test('segments of one byte, and records of one byte, are put together', () => {
  const body = helloBody({ names: [{ text: 'good.test' }] });
  const expected = { state: 'read', serverName: { kind: 'name', name: 'good.test' } };
  for (const recordLength of [16_384, 100, 7, 1]) {
    for (const segmentLength of [16_384, 3, 1])
      expect(read(helloRecords(body, recordLength), segmentLength)).toEqual(expected);
  }
});

test('every byte is kept as it came, and nothing is decided before the last one', () => {
  const bytes = helloRecords(helloBody({ names: [{ text: 'good.test' }] }), 5);
  const reader = new ClientHelloReader(maxBytes);
  for (const byte of bytes.subarray(0, -1)) expect(reader.push(Buffer.from([byte])).state).toBe('more');
  expect(reader.push(Buffer.concat([bytes.subarray(-1), Buffer.from('more')])).state).toBe('read');
  expect(reader.bytes.equals(Buffer.concat([bytes, Buffer.from('more')]))).toBe(true);
});

test('case and one trailing dot do not matter', () => {
  expect(named({ names: [{ text: 'GOOD.Test.' }] })).toEqual({
    state: 'read',
    serverName: { kind: 'name', name: 'good.test' },
  });
});

test.each([
  ['two names', [{ text: 'good.test' }, { text: 'evil.test' }]],
  ['the same name twice', [{ text: 'good.test' }, { text: 'good.test' }]],
  ['a name of another type', [{ type: 1, text: 'good.test' }]],
  ['an IPv4 address', [{ text: '192.0.2.1' }]],
  ['an IPv6 address', [{ text: '2001:db8::1' }]],
  ['an address in decimal', [{ text: '2852039166' }]],
  ['an address in hex', [{ text: '0xa9fea9fe' }]],
  ['two trailing dots', [{ text: 'good.test..' }]],
  ['a NUL', [{ text: 'good.test\0.evil.test' }]],
  ['a line break', [{ text: 'good.test\r\nevil.test' }]],
  ['a wildcard', [{ text: '*.test' }]],
  ['a label too long', [{ text: `${'a'.repeat(64)}.test` }]],
  ['bytes above ASCII', [{ text: 'g\u00f6od.test' }]],
  ['an empty name', [{ text: '' }]],
])('%s is no name', (_, names) => {
  expect(named({ names })).toMatchObject({ state: 'read', serverName: { kind: 'odd' } });
});

test.each([
  ['no server_name', {}],
  ['no extensions at all', { withoutExtensions: true }],
  ['an empty list', { names: [] }],
])('%s is none', (_, parts) => {
  expect(named(parts)).toEqual({ state: 'read', serverName: { kind: 'none' } });
});

test('an encrypted inner name changes nothing: the outer one is what is read', () => {
  const encryptedClientHello = [0xfe0d, Buffer.alloc(200, 1)] as const;
  const progress = named({ names: [{ text: 'outer.test' }], extensions: [encryptedClientHello] });
  expect(progress).toEqual({ state: 'read', serverName: { kind: 'name', name: 'outer.test' } });
});

test('what is no TLS is said at the first bytes', () => {
  for (const text of ['G', 'SSH-2.0', '\x80\x2e\x01\x03\x01', '\x16\x02'])
    expect(read(Buffer.from(text, 'latin1')).state).toBe('not-tls');
});

test('what begins like TLS and is no ClientHello is malformed', () => {
  const good = helloFor('good.test');
  const twice = helloBody({ names: [{ text: 'good.test' }], extensions: [[0, Buffer.alloc(0)]] });
  const serverHello = Buffer.from(good);
  serverHello[5] = 2;
  const cases = [
    serverHello,
    Buffer.from([22, 3, 1, 0, 0]),
    Buffer.from([22, 3, 1, 0x40, 1]),
    Buffer.concat([helloRecords(helloBody({}), 20).subarray(0, 25), Buffer.from([23, 3, 3, 0, 1, 0])]),
    helloRecords(twice),
    helloRecords(Buffer.concat([helloBody({ names: [{ text: 'good.test' }] }), Buffer.from([0])])),
    helloRecords(helloBody({ names: [{ text: 'good.test' }] }).subarray(0, -1)),
    helloRecords(helloBody({ extensions: [[0, Buffer.from([0, 9, 0, 0, 1, 65])]] })),
  ];
  expect(cases.map((bytes) => read(bytes).state)).toEqual(cases.map(() => 'malformed'));
});

test('up to the bound it is read, beyond it is refused before it is there', () => {
  const large = helloBody({ names: [{ text: 'good.test' }], extensions: [[21, Buffer.alloc(60_000)]] });
  expect(read(helloRecords(large), 1000).state).toBe('read');
  expect(read(helloRecords(Buffer.alloc(70_000), 16_000), 1000).state).toBe('too-long');
  expect(read(helloRecords(large, 1), 1000).state).toBe('too-long');
});

test('64 KiB in single bytes cost about what they are long', () => {
  const bytes = helloRecords(helloBody({ names: [{ text: 'good.test' }], extensions: [[21, Buffer.alloc(60_000)]] }));
  const reader = new ClientHelloReader(maxBytes);
  const startedMs = performance.now();
  for (const byte of bytes) reader.push(Buffer.from([byte]));
  // Copying all of it for every byte would take minutes.
  expect(performance.now() - startedMs).toBeLessThan(5000);
});

test('no malformed bytes make it throw, nor read a name that is not in them', () => {
  const good = helloFor('good.test');
  const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.oneof(flips, fc.uint8Array({ maxLength: 300 })),
      fc.integer({ min: 1, max: 60 }),
      (change, segment) => {
        const bytes = Buffer.from(
          change instanceof Uint8Array ? Buffer.concat([Buffer.from([22, 3, 1]), change]) : good,
        );
        if (!(change instanceof Uint8Array)) for (const [at, value] of change) bytes[at] = value;
        const progress = read(bytes, segment);
        if (progress.state !== 'read' || progress.serverName.kind !== 'name') return true;
        return bytes.toString('latin1').toLowerCase().includes(progress.serverName.name);
      },
    ),
    { numRuns: 1000 },
  );
});
