import { Buffer } from 'node:buffer';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { helloFor } from './hello-bytes.ts';

/** Prints how the proxy compares to a direct socket on this machine in this run: throughput, added time of a connection, memory. Judges nothing. */
const chunk = Buffer.alloc(64 * 1024, 'x');
const httpHead = 'GET / HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n';
const hello = helloFor('good.test');

/** Answers anything with as many bytes as the test wants. */
let answerBytes = 0;

function feed(socket: Socket): void {
  let left = answerBytes;
  const more = (): void => {
    while (left > 0) {
      const piece = chunk.subarray(0, Math.min(left, chunk.length));
      left -= piece.length;
      if (!socket.write(piece)) return;
    }
    socket.end();
  };
  socket.on('drain', more);
  more();
}

const rawServer = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    feed(socket);
  });
});
const httpServer = createHttpServer((_, response) => {
  response.writeHead(200, { 'Content-Length': answerBytes, Connection: 'close' });
  response.flushHeaders();
  if (response.socket !== null) feed(response.socket);
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return z.object({ port: z.number() }).parse(server.address()).port;
}

/** Resolves with the milliseconds from the connect to the end. */
async function download(port: number, words: string | Buffer, pauseMs = 0): Promise<number> {
  const startedMs = performance.now();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(words);
  if (pauseMs > 0) {
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  }
  if (pauseMs === 0) socket.resume();
  await once(socket, 'end');
  return performance.now() - startedMs;
}

async function throughputMiBs(
  port: number,
  words: string | Buffer,
  connections: number,
  bytesEach: number,
): Promise<number> {
  answerBytes = bytesEach;
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: connections }, () => download(port, words)));
  return (connections * bytesEach) / 1024 / 1024 / ((performance.now() - startedMs) / 1000);
}

async function connectionP50Ms(port: number, words: string | Buffer): Promise<number> {
  answerBytes = 100;
  const times: number[] = [];
  for (let index = 0; index < 300; index += 1) times.push(await download(port, words));
  return times.sort((a, b) => a - b)[150] ?? 0;
}

async function askMemory(child: ChildProcess): Promise<unknown> {
  child.send('memory');
  return ((await once(child, 'message')) as [unknown])[0];
}

const direct = { tls: await portOf(rawServer), http: await portOf(httpServer) };
const child = fork(
  fileURLToPath(new URL('measured-proxy.ts', import.meta.url)),
  [direct.tls, direct.http].map(String),
  {
    execArgv: ['--max-semi-space-size=1', '--max-old-space-size=32'],
  },
);
const [ports] = (await once(child, 'message')) as [unknown];
const [tls, http] = z.tuple([z.number(), z.number()]).parse(ports);
console.log('idle', await askMemory(child));
for (const [name, directPort, port, words] of [
  ['tls', direct.tls, tls, hello],
  ['http', direct.http, http, httpHead],
] as const) {
  const mebibytes = 1024 * 1024;
  for (const [connections, bytes] of [
    [1, 1024 * mebibytes],
    [200, 4 * mebibytes],
  ] as const) {
    const plain = await throughputMiBs(directPort, words, connections, bytes);
    const proxied = await throughputMiBs(port, words, connections, bytes);
    console.log(name, { connections, plain, proxied, ratio: proxied / plain }, await askMemory(child));
  }
  console.log(name, 'p50 ms', {
    plain: await connectionP50Ms(directPort, words),
    proxied: await connectionP50Ms(port, words),
  });
}
answerBytes = 4 * 1024 * 1024;
await Promise.all(Array.from({ length: 200 }, () => download(tls, hello, 3000)));
console.log('after 200 guests that did not read for 3 s', await askMemory(child));
child.kill();
rawServer.close();
httpServer.close();
