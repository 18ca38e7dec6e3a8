import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { answerDns, buildQuery } from '../../../test/doubles/outside-dns.ts';
import { freePort } from '../testing/free-port.ts';
import { openDnsForwarder, type DnsForwarder } from './forwarder.ts';
import { FrameReader, framed } from './message.ts';

const zone = { 'www.example': { a: ['203.0.113.7'] } };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Upstream {
  port: number;
  seen: Buffer[];
}

async function upstream(answer: (query: Buffer) => Buffer[], delayMs = 0): Promise<Upstream> {
  const seen: Buffer[] = [];
  const tcp = createServer((socket) => {
    const reader = new FrameReader();
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      for (const query of reader.push(chunk)) {
        seen.push(query);
        for (const bytes of answer(query)) socket.write(framed(bytes));
      }
    });
  });
  const port = await freePort();
  tcp.listen(port, '127.0.0.1');
  await once(tcp, 'listening');
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    seen.push(query);
    const send = () => {
      for (const bytes of answer(query)) udp.send(bytes, from.port, from.address);
    };
    if (delayMs === 0) send();
    else setTimeout(send, delayMs);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  cleanups.push(async () => {
    udp.close();
    tcp.close();
    await Promise.resolve();
  });
  return { port, seen };
}

async function forwarder(upstreamPort: number): Promise<{ port: number; forwarder: DnsForwarder }> {
  const port = await freePort();
  const upstreams = [{ address: '127.0.0.1', port: upstreamPort }];
  const opened = await openDnsForwarder({ address: '127.0.0.1', port, resolvConf: '/nonexistent', upstreams });
  cleanups.push(() => opened.close());
  return { port, forwarder: opened };
}

async function askOverUdp(port: number, query: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4');
  socket.send(query, port, '127.0.0.1');
  const [answer] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  return answer;
}

async function open(port: number): Promise<{ socket: Socket; answers: Buffer[]; ended: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  const reader = new FrameReader();
  const answers: Buffer[] = [];
  socket.on('data', (chunk) => answers.push(...reader.push(chunk)));
  socket.on('error', () => undefined);
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, answers, ended };
}

test('the client gets its own id back, the server another one', async () => {
  const server = await upstream((query) => [answerDns(query, zone, 512).response]);
  const { port } = await forwarder(server.port);
  const ids = [7, 7, 7, 7];
  const answers = await Promise.all(ids.map((id) => askOverUdp(port, buildQuery('www.example', 'A', id))));
  expect(answers.map((answer) => answer.readUInt16BE(0))).toEqual(ids);
  expect(new Set(server.seen.map((query) => query.readUInt16BE(0))).size).toBeGreaterThan(1);
});

test('an answer under a wrong id or to another question is waited past', async () => {
  const server = await upstream((query) => {
    const right = answerDns(query, zone, 512).response;
    const wrongId = Buffer.from(right);
    wrongId.writeUInt16BE((right.readUInt16BE(0) + 1) % 65_536, 0);
    const other = answerDns(buildQuery('evil.example', 'A', right.readUInt16BE(0)), {}, 512).response;
    return [wrongId, other, right];
  });
  const { port } = await forwarder(server.port);
  const answer = await askOverUdp(port, buildQuery('www.example', 'A', 9));
  expect([answer.readUInt8(3) & 15, answer.readUInt16BE(6)]).toEqual([0, 1]);
});

test('several queries on one connection are all answered', async () => {
  const server = await upstream((query) => [answerDns(query, zone, 65_535).response]);
  const { port } = await forwarder(server.port);
  const { socket, answers } = await open(port);
  const ids = Array.from({ length: 80 }, (_, index) => index);
  const queries = ids.map((id) => framed(buildQuery('www.example', 'A', id)));
  socket.write(Buffer.concat(queries.slice(0, 40)));
  await expect.poll(() => answers.length).toBe(40);
  socket.write(Buffer.concat(queries.slice(40)));
  await expect.poll(() => answers.length).toBe(80);
  socket.destroy();
  expect(answers.map((answer) => answer.readUInt16BE(0)).sort((a, b) => a - b)).toEqual(ids);
});

test('a connection that sends no query is closed, and a seventeenth one is not served', async () => {
  const server = await upstream(() => []);
  const { port } = await forwarder(server.port);
  const broken = await open(port);
  broken.socket.write(framed(Buffer.from('no query at all')));
  const startedMs = performance.now();
  await broken.ended;
  expect(performance.now() - startedMs).toBeLessThan(3000);
  const connections = await Promise.all(Array.from({ length: 16 }, () => open(port)));
  const oneMore = await open(port);
  await oneMore.ended;
  expect(connections.every(({ socket }) => !socket.destroyed)).toBe(true);
  for (const { socket } of connections) socket.destroy();
});

test('a server that closes or is not there is a failure for the client, soon', async () => {
  const { port } = await forwarder(await freePort());
  const startedMs = performance.now();
  const answer = await askOverUdp(port, buildQuery('www.example', 'A', 9));
  expect(answer.readUInt8(3) & 15).toBe(2);
  const { socket, answers } = await open(port);
  socket.write(framed(buildQuery('www.example', 'A', 10)));
  await expect.poll(() => answers.length).toBe(1);
  socket.destroy();
  expect(performance.now() - startedMs).toBeLessThan(3000);
});

test('it never asks itself', async () => {
  const port = await freePort();
  const server = await upstream((query) => [answerDns(query, zone, 512).response], 300);
  const self = [port, server.port].map((one) => ({ address: '127.0.0.1', port: one }));
  const opened = await openDnsForwarder({ address: '127.0.0.1', port, resolvConf: '/nonexistent', upstreams: self });
  cleanups.push(() => opened.close());
  const first = askOverUdp(port, buildQuery('www.example', 'A', 1));
  await expect.poll(() => server.seen.length).toBe(1);
  // Going round would have taken all of the client's queries by now.
  const second = askOverUdp(port, buildQuery('www.example', 'A', 2));
  const answers = await Promise.all([first, second]);
  expect(answers.map((answer) => answer.readUInt8(3) & 15)).toEqual([0, 0]);
});

test('a taken port is refused, for UDP and for TCP, and leaves nothing open', async () => {
  const server = await upstream(() => []);
  const options = { address: '127.0.0.1', port: server.port, resolvConf: '/nonexistent', upstreams: [] };
  await expect(openDnsForwarder(options)).rejects.toMatchObject({ code: 'network-setup-failed' });
  const port = await freePort();
  const tcpOnly = createServer().listen(port, '127.0.0.1');
  await once(tcpOnly, 'listening');
  cleanups.push(async () => {
    tcpOnly.close();
    await Promise.resolve();
  });
  await expect(openDnsForwarder({ ...options, port })).rejects.toThrow(/Another program answers DNS/);
  const udp = createSocket('udp4').bind(port, '127.0.0.1');
  await once(udp, 'listening');
  udp.close();
});
