import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { dial } from './dial.ts';

const never = new AbortController().signal;

async function listening(): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).once('close', () => (connections -= 1));
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const bound = server.address();
  return { port: typeof bound === 'object' ? (bound?.port ?? 0) : 0, connections: () => connections };
}

test('connections may be half open and keep little waiting', async () => {
  const { port } = await listening();
  const socket = await dial('127.0.0.1', port, never);
  onTestFinished(() => {
    socket.destroy();
  });
  const { allowHalfOpen, readableHighWaterMark, writableHighWaterMark } = socket;
  expect([allowHalfOpen, readableHighWaterMark, writableHighWaterMark]).toEqual([true, 16_384, 16_384]);
});

test('an attempt that fails or is given up leaves nothing open', async () => {
  const { port, connections } = await listening();
  await expect(dial('127.0.0.1', port, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  const given = new AbortController();
  const dialling = dial('127.0.0.1', port, given.signal);
  given.abort();
  await expect(dialling).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(connections).toBe(0);
  await expect(dial('127.0.0.1', 1, never)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
