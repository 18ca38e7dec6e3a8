import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { ChannelConnector } from '../guest/channel/connector.ts';
import { serveModel, socketFolder } from '../guest/channel/testing/carriers.ts';
import { ModelAgent } from '../guest/channel/testing/model-agent.ts';
import { Served } from './testing/served.ts';

/** What would have ended hostd. */
let uncaught: unknown[];
const onUncaught = (error: unknown): void => void uncaught.push(error);

beforeEach(() => {
  uncaught = [];
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
});

afterEach(() => {
  process.off('uncaughtException', onUncaught);
  process.off('unhandledRejection', onUncaught);
});

const routes = ['files?path=/x', 'files/archive?path=/x', 'execs/exe_1/input?offset=0'];

/** Starts an upload without an end. */
function begin(served: Served, route: string) {
  const socket = served.connect();
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  socket.write(`PUT /v1/sandboxes/sbx_1/${route} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
  socket.write('5\r\nhello\r\n');
  return socket;
}

/** Resolves once more than anybody takes is on its way. */
async function flood(socket: Socket): Promise<void> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]);
  const send = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', send);
  send();
  await sleep(5);
}

test.each(routes)('a client that leaves while nobody reads its upload to %s harms nobody', async (route) => {
  await using served = await Served.start();
  const { files, execs } = served.host;
  const asked = Promise.withResolvers<undefined>();
  const left = Promise.withResolvers<undefined>();
  const slowRefusal = async (): Promise<never> => {
    asked.resolve(undefined);
    await left.promise;
    throw new OffshootError('sandbox-gone');
  };
  Object.assign(files, { write: slowRefusal, extract: slowRefusal });
  Object.assign(execs, { input: slowRefusal });
  const socket = begin(served, route);
  await asked.promise;
  socket.destroy();
  await expect.poll(() => served.logLines.join('')).toContain('"status":499');
  left.resolve(undefined);
  await sleep(20);
  expect(uncaught).toEqual([]);
});

test('uploads cut at any moment around the end of their sandbox harm nobody', async () => {
  using folder = socketFolder();
  await using served = await Served.start();
  for (let round = 0; round < 40; round += 1) {
    const agent = new ModelAgent();
    agent.onOpen = () => undefined;
    const server = await serveModel(agent, folder.socketPath);
    const options = { socketPath: folder.socketPath, midStream: false, helloTimeoutMs: 5000 };
    const guest = await new ChannelConnector().connect(options);
    served.host.files.write = (_id, path, content) => guest.files.write(path, content);
    served.host.files.extract = (_id, path, archive) => guest.files.extract(path, archive);
    const sockets = routes.slice(0, 2).map((route) => begin(served, route));
    await Promise.all(sockets.map(flood));
    const gapMs = (round % 10) - 5;
    const leave = sockets.map((socket) => sleep(Math.max(0, -gapMs)).then(() => socket.destroy()));
    await Promise.all([...leave, sleep(Math.max(0, gapMs)).then(() => guest.disconnect())]);
    await guest.closed;
    await server.close();
  }
  await expect.poll(() => served.logLines.filter((line) => line.includes('"msg":"request"')).length).toBe(80);
  await sleep(50);
  expect(uncaught).toEqual([]);
}, 30_000);
