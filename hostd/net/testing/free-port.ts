import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the kernel gives to connections and to whoever asks for any: no one gets it before the one who looked for it. */
const [lowest, beyondHighest] = [10_000, 32_000];

/** A port that nothing on this machine has, neither by UDP nor by TCP. */
export async function freePort(candidate = () => randomInt(lowest, beyondHighest)): Promise<number> {
  for (;;) {
    const port = candidate();
    if ((await isFreeForUdp(port)) && (await isFreeForTcp(port))) return port;
  }
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind({ port, exclusive: true });
  return isReady(socket, () => socket.close());
}

async function isFreeForTcp(port: number): Promise<boolean> {
  const server = createServer().listen({ host: '0.0.0.0', port, exclusive: true });
  return isReady(server, () => server.close());
}

async function isReady(one: NodeJS.EventEmitter, close: () => unknown): Promise<boolean> {
  try {
    await once(one, 'listening');
  } catch {
    return false;
  }
  const closed = once(one, 'close');
  close();
  await closed;
  return true;
}
