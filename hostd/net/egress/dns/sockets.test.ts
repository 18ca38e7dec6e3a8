import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { Resolver as StubResolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { hostResolver } from '../../dns/forwarder.ts';
import { openDnsListener } from '../../dns/listener.ts';
import { FrameReader, framed } from '../../dns/message.ts';
import { freePort } from '../../testing/free-port.ts';
import { compilePolicy } from '../policy/policy.ts';
import { createResolver } from './resolver.ts';
import { guestQuery, readReply } from './testing/guest-message.ts';
import { policyOf, RecordingSink } from './testing/resolver-lab.ts';
import { a, cname, zoneServer, type Zone } from './testing/zone-server.ts';
import { types } from './wire.ts';

const many = Array.from({ length: 100 }, (_, index) => a(`203.0.113.${String(index)}`));
const zone: Zone = {
  'www.example.org': { answers: [cname('edge.example'), a('203.0.113.7', { name: 'edge.example' })] },
  'cut.example.org': { answers: [a('203.0.113.8')], truncated: true },
  'many.example.org': { answers: many },
  'evil.example': { answers: [a('203.0.113.66')] },
};

/** A resolver on real sockets, between a guest and a server that are real as well. */
async function opened(...rules: string[]) {
  const server = await zoneServer(zone);
  const port = await freePort();
  const view = compilePolicy(policyOf('enforce', ...rules), { own: [] });
  const upstreams = [{ address: '127.0.0.1', port: server.port }];
  const resolver = createResolver({
    viewOf: (address) => (address === '127.0.0.1' ? { sandboxId: 'sbx_one', view } : undefined),
    viewOfSandbox: () => view,
    upstream: hostResolver({ address: '127.0.0.1', port, resolvConf: '/nonexistent', upstreams }, systemClock),
    pins: new RecordingSink(),
    record: () => undefined,
    now: () => systemClock.monotonicMs(),
  });
  const listener = await openDnsListener({
    address: '127.0.0.1',
    port,
    answer: (...asked) => resolver.answerQuery(...asked),
  });
  onTestFinished(() => listener.close());
  return { port, arrivals: server.arrivals };
}

async function overUdp(port: number, query: Buffer, fromAddress = '127.0.0.1'): Promise<Buffer> {
  const socket = createSocket('udp4').bind(0, fromAddress);
  onTestFinished(() => {
    socket.close();
  });
  await once(socket, 'listening');
  socket.send(query, port, '127.0.0.1');
  const [answer] = (await once(socket, 'message')) as [Buffer];
  return answer;
}

async function overTcp(port: number, query: Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  const reader = new FrameReader();
  socket.write(framed(query));
  for await (const chunk of socket) {
    const [answer] = reader.push(chunk as Buffer);
    if (answer !== undefined) return answer;
  }
  throw new Error('the connection ended without an answer');
}

test('an ordinary stub resolver finds what is allowed and learns at once what is not', async () => {
  const { port, arrivals } = await opened('www.example.org');
  const stub = new StubResolver({ timeout: 3000, tries: 3 });
  stub.setServers([`127.0.0.1:${String(port)}`]);
  expect(await stub.resolve4('www.example.org')).toEqual(['203.0.113.7']);
  await expect(stub.resolve6('www.example.org')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(stub.resolveTxt('www.example.org')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(stub.resolve4('evil.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(stub.resolveTxt('c2VjcmV0.evil.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(arrivals.map(({ name, type }) => [name, type])).toEqual([['www.example.org', types.a]]);
});

test('over TCP the same rules hold', async () => {
  const { port, arrivals } = await opened('www.example.org');
  expect(readReply(await overTcp(port, guestQuery({ name: 'www.example.org' })))).toMatchObject({
    addresses: ['203.0.113.7'],
  });
  expect(readReply(await overTcp(port, guestQuery({ name: 'evil.example' })))).toMatchObject({ rcode: 3 });
  expect(arrivals).toHaveLength(1);
});

test('a server whose answer does not fit UDP is asked over TCP', async () => {
  const { port, arrivals } = await opened('cut.example.org');
  expect(readReply(await overUdp(port, guestQuery({ name: 'cut.example.org' })))).toMatchObject({
    addresses: ['203.0.113.8'],
  });
  expect(arrivals.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
});

test('an answer too large for the client’s UDP says so and comes whole over TCP', async () => {
  const { port } = await opened('many.example.org');
  const name = 'many.example.org';
  for (const udpBytes of [undefined, 100, 600, 4096]) {
    const query = guestQuery({ name, ...(udpBytes === undefined ? {} : { edns: { udpBytes } }) });
    const reply = readReply(await overUdp(port, query));
    expect(reply).toMatchObject({ truncated: true, addresses: [], rcode: 0 });
    expect(reply.bytes).toBeLessThanOrEqual(512);
  }
  expect(readReply(await overTcp(port, guestQuery({ name }))).addresses).toHaveLength(100);
});

test('nothing of what a guest wrote but the name goes to the server', async () => {
  const { port, arrivals } = await opened('www.example.org');
  const secret = Buffer.from('0123456789secret');
  const clientSubnet = Buffer.concat([Buffer.from([0, 8, 0, 20, 0, 1, 24, 0]), secret]);
  const query = guestQuery({
    name: 'wWw.ExAmPlE.org',
    id: 0x7777,
    flags: 0x0130,
    edns: { options: clientSubnet, flags: 0x8000 },
  });
  const reply = readReply(await overUdp(port, query));
  expect(reply).toMatchObject({ name: 'wWw.ExAmPlE.org', id: 0x7777, addresses: ['203.0.113.7'] });
  const [arrival] = arrivals;
  const plain = guestQuery({ name: 'www.example.org' });
  expect(arrival?.bytes.subarray(2)).toEqual(plain.subarray(2));
});

test('a connection that sends no query is closed; a guest that is unknown hears nothing', async () => {
  const { port } = await opened('www.example.org');
  await expect(overTcp(port, Buffer.from('no query'))).rejects.toThrow('ended without an answer');
  const answer = overUdp(port, guestQuery({ name: 'www.example.org' }), '127.0.0.2').then(() => 'answered');
  const silence = new Promise((resolve) => setTimeout(resolve, 300, 'silent'));
  expect(await Promise.race([answer, silence])).toBe('silent');
});
