import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Guest } from '../guest.ts';
import { ChannelConnector } from './connector.ts';
import { type CarrierServer, serveModel, socketFolder } from './testing/carriers.ts';
import { ModelAgent } from './testing/model-agent.ts';
import { catSpec, CollectingSink } from './testing/sinks.ts';

let folder: ReturnType<typeof socketFolder>;
let server: CarrierServer | undefined;
const guests: Guest[] = [];

async function connect(socketPath = folder.socketPath, helloTimeoutMs = 5000, signal?: AbortSignal): Promise<Guest> {
  const options = { socketPath, midStream: false, helloTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  const guest = await new ChannelConnector().connect(options);
  guests.push(guest);
  return guest;
}

beforeEach(() => {
  folder = socketFolder();
});

afterEach(async () => {
  for (const guest of guests.splice(0)) guest.disconnect();
  await server?.close();
  server = undefined;
  folder[Symbol.dispose]();
});

test('a socket path longer than the kernel takes is reached, again after a drop, and leaves no descriptor open', async () => {
  const deep = join(folder.path, 'd'.repeat(60), 'e'.repeat(60));
  mkdirSync(deep, { recursive: true });
  const socketPath = join(deep, 'agent.sock');
  expect(Buffer.byteLength(socketPath)).toBeGreaterThan(107);
  process.chdir(deep);
  const agent = new ModelAgent();
  server = await serveModel(agent, 'agent.sock');
  process.chdir(join(import.meta.dirname, '../../..'));
  const guest = await connect(socketPath);
  const before = readdirSync('/proc/self/fd').length;
  for (let drop = 0; drop < 3; drop += 1) {
    server.drop();
    await guest.ping(5000);
  }
  expect(agent.resyncs).toBe(4);
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 1);
});

test('it waits closely for a socket that is about to come', async () => {
  const connecting = connect();
  await sleep(400);
  server = await serveModel(new ModelAgent(), folder.socketPath);
  const startMs = performance.now();
  expect((await connecting).hello.agentBuild).toBe('model');
  expect(performance.now() - startMs).toBeLessThan(80);
});

test('no socket, an abort, and one that comes too late', async () => {
  await expect(connect(folder.socketPath, 80)).rejects.toMatchObject({
    code: 'guest-unresponsive',
    details: { timeoutMs: 80 },
  });
  const abort = new AbortController();
  const connecting = connect(folder.socketPath, 5000, abort.signal);
  abort.abort(new Error('sandbox stopped'));
  await expect(connecting).rejects.toMatchObject({ code: 'aborted', cause: { message: 'sandbox stopped' } });
  await expect(connect(folder.socketPath, 5000, abort.signal)).rejects.toMatchObject({ code: 'aborted' });
});

test('a drop is mended within milliseconds; requests made meanwhile go through', async () => {
  const agent = new ModelAgent();
  server = await serveModel(agent, folder.socketPath);
  const guest = await connect();
  server.drop();
  await sleep(0);
  const startMs = performance.now();
  const exec = guest.exec(catSpec, new CollectingSink());
  agent.onOpen = (stream) =>
    stream.end([
      ['ok', 1],
      ['exit-code', 0],
    ]);
  expect(await exec.result).toMatchObject({ exitCode: 0 });
  await guest.sync(1000);
  expect(performance.now() - startMs).toBeLessThan(500);
});

test('gone for good: after two seconds of nobody there, all that waits fails', async () => {
  const agent = new ModelAgent();
  agent.onOpen = () => undefined;
  server = await serveModel(agent, folder.socketPath);
  const guest = await connect();
  const exec = guest.exec({ ...catSpec, stdin: true }, new CollectingSink());
  const input = expect(exec.write(Buffer.alloc(1_000_000))).rejects.toMatchObject({ code: 'guest-unresponsive' });
  const ping = expect(guest.ping(60_000)).resolves.toBeUndefined();
  await ping;
  await server.close();
  server = undefined;
  const startMs = performance.now();
  const waiting = expect(guest.ping(60_000)).rejects.toMatchObject({
    code: 'guest-unresponsive',
    details: { reason: 'carrier-gone' },
  });
  expect(await guest.closed).toBe('carrier-gone');
  expect(performance.now() - startMs).toBeGreaterThan(1900);
  await expect(exec.result).rejects.toMatchObject({ code: 'guest-unresponsive', details: { reason: 'carrier-gone' } });
  await input;
  await waiting;
  expect(() => guest.exec(catSpec, new CollectingSink())).toThrow(
    expect.objectContaining({ code: 'guest-unresponsive' }),
  );
  await expect(guest.files.read('/x')).rejects.toMatchObject({ code: 'guest-unresponsive' });
});

test('away for one second is not gone', async () => {
  const agent = new ModelAgent();
  server = await serveModel(agent, folder.socketPath);
  const guest = await connect();
  await server.close();
  await sleep(1000);
  server = await serveModel(agent, folder.socketPath);
  await guest.ping(5000);
  expect(agent.resyncs).toBe(2);
});

test('disconnect ends it at once, twice as well, and the guest keeps its streams', async () => {
  const agent = new ModelAgent();
  agent.onOpen = () => undefined;
  server = await serveModel(agent, folder.socketPath);
  const guest = await connect();
  const exec = guest.exec(catSpec, new CollectingSink());
  await guest.ping(1000);
  guest.disconnect();
  guest.disconnect();
  expect(await guest.closed).toBe('disconnected');
  await expect(exec.result).rejects.toMatchObject({ code: 'shutting-down', details: { reason: 'disconnected' } });
  await expect(guest.metrics(100)).rejects.toMatchObject({ code: 'shutting-down' });
  expect((await connect()).hello.streams).toMatchObject([{ id: exec.streamId, kind: 'exec', ended: false }]);
});
