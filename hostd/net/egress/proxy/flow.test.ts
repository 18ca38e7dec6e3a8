import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Flow } from './flow.ts';

async function connected(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const near = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [far] = await accepted;
  server.close();
  return { near, far };
}

test('what a guest had sent before its end still goes out to a server that is slow to read', async () => {
  const guest = await connected();
  const upstream = await connected();
  upstream.far.pause();
  const spec = { address: '127.0.0.1', port: 0, forPort: 443, layer: 'tls' } as const;
  const flow = new Flow('sbx_one', '127.0.0.1', spec, guest.near);
  flow.carry(upstream.near, '9.9.9.1');
  const sent = 32 * 1024 * 1024;
  upstream.near.write(Buffer.alloc(sent));
  guest.near.resume();
  guest.near.end();
  guest.far.end();
  guest.far.resume();
  await once(guest.near, 'close');
  expect(upstream.near.destroyed).toBe(false);
  let length = 0;
  upstream.far.on('data', (chunk) => (length += chunk.length)).resume();
  await once(upstream.far, 'end');
  expect(length).toBe(sent);
  upstream.far.destroy();
});
