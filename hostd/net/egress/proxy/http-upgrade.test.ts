import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { get, openHttpLab, say, serveHttp, untilText } from './testing/http-lab.ts';
import { addresses, untilClosed, type Lab } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

const webSocket = ['Connection: keep-alive, Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'];

/** Switches protocols, then sends every byte back. */
async function serveEcho(lab: Lab): Promise<void> {
  const server = createServer();
  server.on('upgrade', (request, stream: Duplex, head: Buffer) => {
    stream.on('error', () => undefined);
    stream.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Url: ');
    stream.write(`${request.url ?? ''}\r\n\r\n`);
    stream.write(head);
    stream.pipe(stream);
  });
  await lab.serve(addresses.good, 80, server);
}

test('after 101 a WebSocket passes as it is, in both directions, to its end', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  await serveEcho(lab);
  const guest = lab.connect(listener);
  guest.write(get('good.test', '/ws', ...webSocket));
  expect(await untilText(guest, '\r\n\r\n')).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[^]*X-Url: \/ws\r\n/);
  const ending = untilClosed(guest);
  const bytes = Buffer.alloc(300_000, 'GET http://evil.test/ HTTP/1.1\r\n\r\n');
  guest.end(bytes);
  expect((await ending).bytes.equals(bytes)).toBe(true);
  expect(lab.outcomes()).toEqual(['allowed good.test 9.9.9.1']);
});

test('bytes that came right behind the request go on only after 101', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  await serveEcho(lab);
  const guest = lab.connect(listener);
  guest.write(get('good.test', '/', ...webSocket) + 'early bytes');
  expect(await untilText(guest, 'early bytes')).toContain('101');
});

test('a server that does not switch answers as ever, and the bytes behind the request go nowhere', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  const text = await say(lab, listener, get('good.test', '/no', ...webSocket) + get('evil.test', '/hidden'));
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*good \/no\n/);
  expect(seen.map(({ line }) => line)).toEqual(['GET /no']);
});

test('a WebSocket to another host is denied; one to a server that is not there is a failure', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  expect(await say(lab, listener, get('evil.test', '/', ...webSocket))).toContain(
    'Offshoot denied evil.test: host-header',
  );
  expect(await say(lab, listener, get('good.test', '/', ...webSocket))).toMatch(/^HTTP\/1\.1 502 /);
  expect(lab.outcomes()).toEqual(['denied host-header evil.test', 'failed dial good.test']);
});

test('an upgrade behind a request that is not answered yet is refused', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  await serveEcho(lab);
  expect(await say(lab, listener, get('good.test') + get('good.test', '/', ...webSocket))).toContain('protocol');
  expect(lab.outcomes()).toContain('denied protocol');
});

test('a request with a body does not become a tunnel', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  const head =
    'POST / HTTP/1.1\r\nHost: good.test\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\n';
  expect(await say(lab, listener, `${head}abc`)).toContain('good /');
  expect(seen[0]?.rawHeaders).toEqual(['Host', 'good.test', 'Content-Length', '3', 'Connection', 'close']);
});
