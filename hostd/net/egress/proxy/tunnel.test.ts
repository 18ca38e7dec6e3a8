import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { ProxyLimits } from './options.ts';
import { helloFor } from './testing/hello-bytes.ts';
import { addresses, Lab, untilClosed } from './testing/lab.ts';

const labs: Lab[] = [];
const hello = helloFor('good.test');

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

async function openLab(serve: (socket: Socket) => void, limits: Partial<ProxyLimits> = {}) {
  const lab = await Lab.open(['good.test', '*.many.test'], limits);
  labs.push(lab);
  lab.zone.set('good.test', [addresses.good]);
  await lab.serve(addresses.good, 443, createServer({ allowHalfOpen: true }, serve));
  return { lab, listener: await lab.listen('tls') };
}

test('megabytes pass both ways unchanged, and are counted', async () => {
  const { lab, listener } = await openLab((socket) => socket.pipe(socket));
  const sent = Buffer.concat([hello, randomBytes(8 * 1024 * 1024)]);
  const guest = lab.connect(listener);
  const ending = untilClosed(guest);
  guest.end(sent);
  expect((await ending).bytes.equals(sent)).toBe(true);
  const row = { sandboxId: 'sbx_one', name: 'good.test', port: 443, connections: 1 };
  await expect.poll(() => lab.proxy.usage()).toEqual([{ ...row, bytesIn: sent.length, bytesOut: sent.length }]);
});

test('a guest that does not read holds the server back', async () => {
  let written = 0;
  const { lab, listener } = await openLab((socket) => {
    const more = (): void => {
      while (socket.writable && socket.write(Buffer.alloc(65_536))) written += 65_536;
    };
    socket.on('drain', more);
    socket.on('error', () => undefined);
    socket.once('data', more);
  });
  const guest = lab.connect(listener);
  guest.pause();
  guest.write(hello);
  await sleep(300);
  const before = written;
  await sleep(300);
  // The kernel's buffers of three sockets are what is full by now.
  expect([written === before, written < 64 * 1024 * 1024]).toEqual([true, true]);
  guest.resume();
  await expect.poll(() => written).toBeGreaterThan(before + 1024 * 1024);
});

test('an end on one side is an end on the other, and the answer still comes', async () => {
  const { lab, listener } = await openLab((socket) => {
    let length = 0;
    socket.on('data', (chunk) => (length += chunk.length));
    socket.on('end', () => socket.end(`got ${String(length)}`));
  });
  const guest = lab.connect(listener);
  guest.end(hello);
  expect(await untilClosed(guest)).toEqual({ bytes: Buffer.from(`got ${String(hello.length)}`), reset: false });
});

test('a reset on one side is a reset on the other', async () => {
  const served: Socket[] = [];
  const { lab, listener } = await openLab((socket) => {
    served.push(socket);
    socket.on('data', () => undefined);
  });
  const first = lab.connect(listener);
  first.write(hello);
  await expect.poll(() => served.length).toBe(1);
  served[0]?.resetAndDestroy();
  expect((await untilClosed(first)).reset).toBe(true);
  const second = lab.connect(listener);
  second.write(hello);
  await expect.poll(() => served.length).toBe(2);
  const upstreamEnd = new Promise((resolve) => served[1]?.on('error', resolve));
  second.resetAndDestroy();
  expect(await upstreamEnd).toMatchObject({ code: 'ECONNRESET' });
});

test('what a guest sends after the server’s end still arrives', async () => {
  let length = 0;
  const arrived = Promise.withResolvers<number>();
  const { lab, listener } = await openLab((socket) => {
    socket.end('enough');
    socket.pause();
    // By then everything is on its way and the guest is gone.
    setTimeout(() => socket.on('data', (chunk) => (length += chunk.length)).resume(), 300);
    socket.on('end', () => {
      arrived.resolve(length);
    });
    socket.on('error', () => {
      arrived.resolve(-1);
    });
  });
  const guest = lab.connect(listener);
  guest.write(hello);
  await once(guest, 'data');
  guest.end(Buffer.alloc(16 * 1024 * 1024));
  expect(await arrived.promise).toBe(hello.length + 16 * 1024 * 1024);
});

test('a connection on which nothing moves is reset', async () => {
  const { lab, listener } = await openLab((socket) => socket.resume(), { idleMs: 150 });
  const guest = lab.connect(listener);
  guest.write(hello);
  const startedMs = performance.now();
  expect((await untilClosed(guest)).reset).toBe(true);
  expect(performance.now() - startedMs).toBeGreaterThan(100);
});

test('counters of names beyond the bound share a row', async () => {
  const { lab, listener } = await openLab((socket) => socket.end('x'), { usageRowsPerSandbox: 2 });
  for (const name of ['a.many.test', 'b.many.test', 'c.many.test', 'd.many.test', 'a.many.test']) {
    lab.zone.set(name, [addresses.good]);
    const guest = lab.connect(listener);
    guest.end(helloFor(name));
    await untilClosed(guest);
  }
  const rows = lab.proxy.usage().map(({ name, connections }) => [name, connections]);
  expect(rows).toEqual([
    ['a.many.test', 2],
    ['b.many.test', 1],
    [undefined, 2],
  ]);
});

test('a closed listener takes no more; what it took goes on, and close ends all', async () => {
  const { lab, listener } = await openLab((socket) => socket.pipe(socket));
  const guest = lab.connect(listener);
  guest.write(hello);
  await once(guest, 'data');
  listener.close();
  const late = lab.connect(listener);
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
  guest.write('on');
  expect(((await once(guest, 'data')) as [Buffer])[0].toString()).toBe('on');
  const again = await lab.proxy.listen({ address: '127.0.0.1', port: listener.port, forPort: 443, layer: 'tls' });
  await expect(
    lab.proxy.listen({ address: '127.0.0.1', port: again.port, forPort: 443, layer: 'http' }),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await lab.proxy.close();
  expect((await untilClosed(guest)).reset).toBe(true);
});

test('200 connections at once are all served', async () => {
  const { lab, listener } = await openLab((socket) => socket.pipe(socket));
  const sent = Buffer.concat([hello, randomBytes(20_000)]);
  const endings = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const guest = lab.connect(listener);
      guest.end(sent);
      return await untilClosed(guest);
    }),
  );
  expect(endings.every(({ bytes }) => bytes.equals(sent))).toBe(true);
});
