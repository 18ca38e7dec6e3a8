import { afterEach, expect, test } from 'vitest';
import { get, openHttpLab, say, serveHttp } from './testing/http-lab.ts';
import type { Lab } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

const host = 'Host: good.test';
const post = `POST / HTTP/1.1\r\n${host}\r\n`;
const hidden = 'GET /hidden HTTP/1.1\r\nHost: evil.test\r\n\r\n';

test.each([
  [
    'a length and a transfer coding',
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  [
    'a transfer coding and a length',
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  ['two equal lengths', `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
  ['a list of lengths', `${post}Content-Length: 1, 1\r\n\r\na`],
  ['a signed length', `${post}Content-Length: +1\r\n\r\na`],
  ['an unknown transfer coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['a further transfer coding', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ['chunked twice', `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['chunked in HTTP/1.0', `POST / HTTP/1.0\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a folded header', `GET / HTTP/1.1\r\n${host}\r\nX: a\r\n b\r\n\r\n`],
  ['a folded Host', 'GET / HTTP/1.1\r\nHost:\r\n good.test\r\n\r\n'],
  ['a space before the first header', `GET / HTTP/1.1\r\n ${host}\r\n\r\n`],
  ['a space before a colon', 'GET / HTTP/1.1\r\nHost : good.test\r\n\r\n'],
  ['bare line feeds', `GET / HTTP/1.1\n${host}\n\n`],
  ['a bare line feed after a header', `GET / HTTP/1.1\r\n${host}\nX: b\r\n\r\n`],
  ['a bare line feed as the end', `GET / HTTP/1.1\r\n${host}\r\n\n`],
  ['a bare carriage return', `GET / HTTP/1.1\r\n${host}\rX: b\r\n\r\n`],
  ['a NUL', 'GET / HTTP/1.1\r\nHost: good.test\0\r\n\r\n'],
  ['a header without name', `GET / HTTP/1.1\r\n${host}\r\n: b\r\n\r\n`],
  ['a space in the target', `GET /a b HTTP/1.1\r\n${host}\r\n\r\n`],
  ['another version', `GET / HTTP/1.2\r\n${host}\r\n\r\n`],
  ['HTTP/2.0 in words', `GET / HTTP/2.0\r\n${host}\r\n\r\n`],
  ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['CONNECT to an allowed host', `CONNECT good.test:80 HTTP/1.1\r\n${host}:80\r\n\r\n`],
  ['CONNECT to another', `CONNECT evil.test:443 HTTP/1.1\r\n${host}\r\n\r\n`],
  ['an unknown method', `FROB / HTTP/1.1\r\n${host}\r\n\r\n`],
  ['SSH', 'SSH-2.0-OpenSSH_9\r\n'],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
])('%s is refused as protocol, and nothing is dialled', async (_, text) => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  expect(await say(lab, listener, text)).toMatch(/^HTTP\/1\.1 403 [^]*: protocol\n$/);
  expect([lab.outcomes().length, lab.entries[0]?.reason, lab.dialled, seen]).toEqual([1, 'protocol', [], []]);
});

test.each([
  ['the same one twice', `GET / HTTP/1.1\r\n${host}\r\n${host}\r\n\r\n`],
  ['another one behind', `GET / HTTP/1.1\r\n${host}\r\nHost: evil.test\r\n\r\n`],
  ['another one before', `GET / HTTP/1.1\r\nHost: evil.test\r\n${host}\r\n\r\n`],
  ['a list', 'GET / HTTP/1.1\r\nHost: good.test, evil.test\r\n\r\n'],
  ['with a path', 'GET / HTTP/1.1\r\nHost: good.test/evil.test\r\n\r\n'],
  ['with a user', 'GET / HTTP/1.1\r\nHost: good.test@evil.test\r\n\r\n'],
  ['with a question mark', 'GET / HTTP/1.1\r\nHost: good.test?.evil.test\r\n\r\n'],
  ['behind many headers', `GET / HTTP/1.1\r\n${host}\r\n${'a:\r\n'.repeat(250)}Host: evil.test\r\n\r\n`],
])('more than one Host or a strange one - %s - is refused', async (_, text) => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80', 'evil.test:80']);
  expect(await say(lab, listener, text)).toMatch(/^HTTP\/1\.1 403 [^]*: host-header\n$/);
  expect(lab.dialled).toEqual([]);
});

test('a Host behind more headers than are read is none', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80', 'evil.test:80']);
  for (const count of [255, 256, 300, 2500, 10_000]) {
    const text = `GET / HTTP/1.1\r\n${host}\r\n${'a:\r\n'.repeat(count)}Host: evil.test\r\n\r\n`;
    expect(await say(lab, listener, text)).toMatch(/^HTTP\/1\.1 403 [^]*: no-name\n$/);
  }
  expect(lab.dialled).toEqual([]);
});

test.each([
  ['a chunk size in hex notation', '0x1\r\na\r\n0\r\n\r\n'],
  ['a chunk size ended by a line feed', '1\na\r\n0\r\n\r\n'],
  ['a chunk ended by a line feed', '1\r\na\n0\r\n\r\n'],
  ['a chunk longer than it says', '1\r\nabc\r\n0\r\n\r\n'],
  ['a chunk size beyond all bounds', 'fffffffffffffffff\r\na'],
])('%s ends both connections, and no request comes whole to the server', async (_, chunks) => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  expect(await say(lab, listener, `${post}Transfer-Encoding: chunked\r\n\r\n${chunks}${hidden}`)).not.toContain(
    '200 OK',
  );
  expect([lab.outcomes().some((outcome) => outcome === 'denied protocol'), seen]).toEqual([true, []]);
});

test('what the server gets is written anew: chunk extensions and what lies behind a body are not in it', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  const text = await say(lab, listener, `${post}Content-Length: 3\r\n\r\nabc${hidden}`);
  expect(text).toContain('Offshoot denied evil.test: host-header');
  expect(seen.map(({ line, body }) => `${line} ${body}`)).toEqual(['POST / abc']);
});

test('an upgrade to HTTP/2 is asked for in vain: the request goes on without it', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  const more = ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
  expect(await say(lab, listener, get('good.test', '/', ...more))).toContain('good /');
  expect(seen[0]?.rawHeaders).toEqual(['Host', 'good.test', 'Connection', 'close']);
});

test('a Connection header cannot take away what frames a request', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  const headers = 'Connection: close, Content-Length, Transfer-Encoding, Host\r\nContent-Length: 3\r\n\r\nabc';
  expect(await say(lab, listener, `${post}${headers}`)).toContain('good /');
  expect(seen[0]?.rawHeaders).toEqual(['Host', 'good.test', 'Content-Length', '3', 'Connection', 'close']);
});
