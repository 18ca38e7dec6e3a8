import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from './free-port.ts';

test('a port that someone has by UDP or by TCP alone, on whatever address, is passed over', async () => {
  const [byUdp, byTcp, free] = [await freePort(), await freePort(), await freePort()];
  const udp = createSocket('udp4').bind(byUdp, '127.0.0.2');
  const tcp = createServer().listen(byTcp, '127.0.0.3');
  onTestFinished(() => {
    udp.close();
    tcp.close();
  });
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  const candidates = [byUdp, byTcp, free];
  expect(await freePort(() => candidates.shift() ?? 0)).toBe(free);
});
