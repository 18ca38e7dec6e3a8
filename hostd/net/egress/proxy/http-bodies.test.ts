import { Buffer } from 'node:buffer';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { get, openHttpLab, say, serveHttp, untilText } from './testing/http-lab.ts';
import { addresses, type Lab, untilClosed } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

test('uploads: with a length, chunked with trailers, and after 100 Continue', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const seen = await serveHttp(lab, 'good');
  await say(lab, listener, `POST /l HTTP/1.1\r\nHost: good.test\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`);
  const chunks = '1;ext=1\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 1\r\n\r\n';
  await say(
    lab,
    listener,
    `POST /c HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}`,
  );
  await say(lab, listener, `POST /n HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n`);
  const guest = lab.connect(listener);
  guest.write('PUT /e HTTP/1.1\r\nHost: good.test\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
  await untilText(guest, '100 Continue');
  guest.write('ok');
  await untilText(guest, 'good /e');
  expect(seen.map(({ line, body }) => `${line} ${body}`)).toEqual([
    'POST /l abc',
    'POST /c abc',
    'POST /n ',
    'PUT /e ok',
  ]);
  expect(seen[2]?.rawHeaders).toEqual(expect.arrayContaining(['Content-Length', '0']));
});

test('answers: HEAD, 204, 304, chunks with trailers, and one that ends with its connection', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  await serveHttp(lab, 'good', 80, (request, response) => {
    response.sendDate = false;
    if (request.method === 'HEAD') response.writeHead(200, { 'Content-Length': '5' }).end();
    else if (request.url === '/204') response.writeHead(204).end();
    else if (request.url === '/304') response.writeHead(304, { ETag: '"1"' }).end();
    else {
      response.writeHead(200, { Trailer: 'X-Sum' });
      response.write('a');
      response.addTrailers({ 'X-Sum': '1' });
      response.end('b');
    }
  });
  const head = 'HEAD / HTTP/1.1\r\nHost: good.test\r\n\r\n';
  const text = await say(
    lab,
    listener,
    head + get('good.test', '/204') + get('good.test', '/304') + get('good.test', '/c', 'Connection: close'),
  );
  expect(text.split('HTTP/1.1 ').map((one) => one.slice(0, 3))).toEqual(['', '200', '204', '304', '200']);
  expect(text).toMatch(/chunked\r\n\r\n(2\r\nab|1\r\na\r\n1\r\nb)\r\n0\r\nX-Sum: 1\r\n\r\n$/);
  expect(lab.dialled.length).toBe(1);
  const plain = createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 Fine\r\nA: b\r\n\r\nuntil the end')),
  );
  await lab.serve(addresses.good, 80, plain);
  expect(await say(lab, listener, get('good.test'))).toMatch(
    /^HTTP\/1\.1 200 Fine\r\nA: b\r\nConnection: close\r\n[^]*until the end/,
  );
});

test('trailers that are announced where none can follow are no trouble', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const chunked = 'Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n';
  const answers: Record<string, string> = {
    '/length': 'Trailer: X-Sum\r\nContent-Length: 2\r\n\r\nok',
    '/head': 'Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n',
    '/old': chunked,
    '/new': chunked,
  };
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      const path = chunk.toString().split(' ')[1] ?? '';
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n${answers[path] ?? ''}`);
    });
  });
  await lab.serve(addresses.good, 80, server);
  expect(await say(lab, listener, get('good.test', '/length', 'Trailer: X-Sum'))).toMatch(/^HTTP\/1.1 200 [^]*\r\nok$/);
  const head = 'HEAD /head HTTP/1.1\r\nHost: good.test\r\n\r\n';
  expect(await say(lab, listener, head)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(await say(lab, listener, 'GET /old HTTP/1.0\r\nHost: good.test\r\n\r\n')).toMatch(
    /^HTTP\/1.1 200 [^]*\r\nok$/,
  );
  expect(await say(lab, listener, get('good.test', '/new'))).toMatch(/\r\nTrailer: X-Sum\r\n[^]*\r\nX-Sum: 1\r\n/);
});

test('a server that closes an idle connection closes the guest one', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const server = createHttpServer({ keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 }, (_, response) =>
    response.end('once'),
  );
  await lab.serve(addresses.good, 80, server);
  const guest = lab.connect(listener);
  guest.write(get('good.test'));
  expect((await untilClosed(guest)).reset).toBe(false);
});

test('a name that does not resolve, a server that does not answer, and one that answers no HTTP: 502, and no denial', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80', 'unknown.test:80']);
  expect(await say(lab, listener, get('unknown.test'))).toMatch(/^HTTP\/1\.1 502 [^]*could not reach unknown\.test/);
  expect(await say(lab, listener, get('good.test'))).toMatch(/^HTTP\/1\.1 502 /);
  await lab.serve(
    addresses.good,
    80,
    createServer((socket) => socket.once('data', () => socket.end('SSH-2.0\r\n'))),
  );
  expect(await say(lab, listener, get('good.test'))).toMatch(/^HTTP\/1\.1 502 /);
  expect(lab.outcomes()).toEqual([
    'failed resolve unknown.test',
    'failed dial good.test',
    'allowed good.test 9.9.9.1',
    'failed upstream good.test 9.9.9.1',
  ]);
});

test('an answer that breaks off breaks off for the guest', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const short = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this';
  await lab.serve(
    addresses.good,
    80,
    createServer((socket) => socket.once('data', () => socket.end(short))),
  );
  const guest = lab.connect(listener);
  guest.write(get('good.test'));
  const ending = await untilClosed(guest);
  expect([ending.bytes.toString().startsWith('HTTP/1.1 200'), ending.reset]).toEqual([true, true]);
});

test('a denial reaches a guest in the middle of an upload', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const guest = lab.connect(listener);
  guest.write('POST / HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 10000000\r\n\r\n');
  const writing = setInterval(() => guest.write(Buffer.alloc(65_536)), 5);
  const ending = await untilClosed(guest);
  clearInterval(writing);
  expect(ending.bytes.toString()).toContain('Offshoot denied evil.test: host-header');
});

test('a head that does not come to its end is denied at the deadline, one too long at the bound', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80'], { nameDeadlineMs: 200, bytesUntilName: 4096 });
  expect(await say(lab, listener, 'GET / HTTP/1.1\r\nHost: good.te')).toContain('no-name');
  expect(await say(lab, listener, get('good.test', '/', `X: ${'a'.repeat(5000)}`))).toContain('no-name');
  expect((await say(lab, listener, '')).startsWith('HTTP/1.1 403')).toBe(true);
});

test('more pipelined requests than the bound are a reset', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80'], { pipelinedRequests: 10 });
  const seen = await serveHttp(lab, 'good');
  const guest = lab.connect(listener);
  guest.write(get('good.test').repeat(50));
  expect((await untilClosed(guest)).reset).toBe(true);
  expect([lab.outcomes().includes('failed limit'), seen.length < 50]).toEqual([true, true]);
});
