import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { QmpClient, QmpError, type QmpEvent } from './qmp-client.ts';

interface Command {
  execute: string;
  arguments: Record<string, unknown>;
  id: number;
}

let folder: string;
let server: Server;
let peer: Socket;
let received: Command[];
let answer: (command: Command) => string | undefined;
let greeting: string;

const path = () => join(folder, 'qmp.sock');
const ok = (command: Command) => `${JSON.stringify({ return: {}, id: command.id })}\r\n`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qmp-'));
  received = [];
  answer = ok;
  greeting = '{"QMP": {"version": {}, "capabilities": ["oob"]}}\r\n';
  server = createServer((socket) => {
    peer = socket;
    socket.on('error', () => undefined);
    socket.write(greeting);
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\n').filter(Boolean)) {
        const command = JSON.parse(line) as Command;
        received.push(command);
        const reply = command.execute === 'qmp_capabilities' ? ok(command) : answer(command);
        if (reply !== undefined) socket.write(reply);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path(), resolve));
});

afterEach(async () => {
  peer.destroy();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

test('negotiates, runs commands with arguments and checks the answers', async () => {
  answer = (command) => `${JSON.stringify({ return: { status: 'paused' }, id: command.id })}\r\n`;
  const client = await QmpClient.connect(path(), 1000);
  expect(await client.execute('query-status', { a: 1 }, z.object({ status: z.string() }))).toEqual({
    status: 'paused',
  });
  expect(received.map(({ execute, arguments: args }) => [execute, args])).toEqual([
    ['qmp_capabilities', {}],
    ['query-status', { a: 1 }],
  ]);
  await expect(client.execute('query-status', {}, z.object({ status: z.number() }))).rejects.toThrow('expected number');
  client.close();
});

test('answers find their commands in any order, split anywhere, with events between', async () => {
  const events: QmpEvent[] = [];
  const waiting: Command[] = [];
  answer = (command) => void waiting.push(command);
  const client = await QmpClient.connect(path(), 1000, (event) => events.push(event));
  const results = Promise.all(['a', 'b', 'c'].map((name) => client.execute(name, {}, z.string())));
  while (waiting.length < 3) await new Promise((wake) => setTimeout(wake, 1));
  const lines = waiting
    .toReversed()
    .map(({ execute, id }) => `${JSON.stringify({ return: `did ${execute}`, id })}\r\n`);
  const text = lines.join(
    '{"event": "STOP", "timestamp": {}}\n{"event": "SHUTDOWN", "data": {"reason": "guest-reset"}}\n',
  );
  for (const character of text) peer.write(character);
  expect(await results).toEqual(['did a', 'did b', 'did c']);
  expect(events.slice(0, 2)).toEqual([
    { name: 'STOP', data: {} },
    { name: 'SHUTDOWN', data: { reason: 'guest-reset' } },
  ]);
  client.close();
});

test('a refusal is a QmpError with QEMU’s words', async () => {
  answer = ({ id }) => `${JSON.stringify({ error: { class: 'CommandNotFound', desc: 'no such' }, id })}\n`;
  const client = await QmpClient.connect(path(), 1000);
  const failure = client.execute('x', {}, z.unknown());
  await expect(failure).rejects.toBeInstanceOf(QmpError);
  await expect(failure).rejects.toMatchObject({ message: 'x: no such', errorClass: 'CommandNotFound' });
  client.close();
});

test('a command that is not answered in time rejects, and the session goes on', async () => {
  answer = (command) => (command.execute === 'slow' ? undefined : ok(command));
  const client = await QmpClient.connect(path(), 1000);
  await expect(client.execute('slow', {}, z.unknown(), 30)).rejects.toThrow('slow: no answer within 30 ms');
  await client.execute('quick', {}, z.unknown());
  client.close();
});

test('no greeting in time rejects', async () => {
  greeting = '';
  await expect(QmpClient.connect(path(), 30)).rejects.toThrow('no greeting from the VMM within 30 ms');
});

test('a lost connection rejects what waits and what comes', async () => {
  answer = () => void peer.destroy();
  const client = await QmpClient.connect(path(), 1000);
  await expect(client.execute('stop', {}, z.unknown())).rejects.toThrow('stop: the VMM closed its monitor');
  await expect(client.execute('cont', {}, z.unknown())).rejects.toThrow('the VMM closed its monitor');
});

test.each(['nonsense\n', '[1]\n', '{"return": {}}\n', '{"event": 5}\n', 'x'.repeat((1 << 20) + 1)])(
  'what is not QMP ends the session (%#)',
  async (text) => {
    answer = () => text;
    const client = await QmpClient.connect(path(), 1000);
    await expect(client.execute('stop', {}, z.unknown())).rejects.toThrow(/not QMP|endless line/);
  },
);

test('nobody listens: rejects', async () => {
  peer = { destroy: () => undefined } as unknown as Socket;
  await expect(QmpClient.connect(join(folder, 'absent'), 1000)).rejects.toThrow('ENOENT');
});
