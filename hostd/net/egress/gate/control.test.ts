import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ControlClient, HelperGone, HelperRefusal } from './control-client.ts';
import { openControlServer, operation, type LineServer } from './control-server.ts';
import { testFolder } from './testing/test-folder.ts';

const maxLineBytes = 10_000;

async function open(): Promise<{ socketPath: string; server: LineServer; set: string[] }> {
  const socketPath = path.join(await testFolder(), 'a.sock');
  const set: string[] = [];
  const operations = {
    set: operation(z.strictObject({ value: z.string() }), ({ value }) => set.push(value)),
    silent: () => new Promise(() => undefined),
    fails: () => Promise.reject(new Error('it rains')),
  };
  const server = await openControlServer(socketPath, operations, maxLineBytes);
  onTestFinished(() => server.close());
  return { socketPath, server, set };
}

async function client(socketPath: string): Promise<ControlClient> {
  const opened = await ControlClient.connect(socketPath, maxLineBytes);
  onTestFinished(() => {
    opened.close();
  });
  return opened;
}

test('a call is answered; only this user can open the socket', async () => {
  const { socketPath, set } = await open();
  expect(await (await client(socketPath)).call('set', { value: 'a' }, z.number(), 1000)).toBe(1);
  expect(set).toEqual(['a']);
  expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
});

test('what can not be done is refused with a reason', async () => {
  const { socketPath, set } = await open();
  const control = await client(socketPath);
  await expect(control.call('set', { value: 1 }, z.number(), 1000)).rejects.toThrow(HelperRefusal);
  await expect(control.call('toString', {}, z.number(), 1000)).rejects.toThrow('there is no toString');
  await expect(control.call('fails', {}, z.number(), 1000)).rejects.toThrow('it rains');
  expect(set).toEqual([]);
});

test('no answer in time, and a server that goes, are told from a refusal', async () => {
  const { socketPath, server } = await open();
  const control = await client(socketPath);
  await expect(control.call('silent', {}, z.null(), 50)).rejects.toThrow(HelperGone);
  const waiting = control.call('silent', {}, z.null(), 10_000);
  waiting.catch(() => undefined);
  await server.close();
  await expect(waiting).rejects.toThrow(HelperGone);
  await control.closed;
  await expect(control.call('set', { value: 'a' }, z.number(), 1000)).rejects.toThrow(HelperGone);
});

test('malformed lines change nothing, and the connection goes on', async () => {
  const { socketPath, set } = await open();
  const socket = connect(socketPath);
  await once(socket, 'connect');
  const lines = [
    '',
    '{',
    'null',
    '[]',
    '{"id":1}',
    '{"id":-1,"method":"set","params":{}}',
    '\u0000',
    '{"__proto__":1}',
  ];
  socket.write(lines.map((line) => `${line}\n`).join(''));
  socket.write('{"id":7,"method":"set","params":{"value":"after"}}\n');
  let text = '';
  while (!text.includes('"id":7')) text += String(((await once(socket, 'data')) as [Buffer])[0]);
  expect(text.trim().split('\n')).toHaveLength(lines.length + 1);
  expect(set).toEqual(['after']);
  socket.destroy();
});

test('a line without end is cut off, other connections are served', async () => {
  const { socketPath, set } = await open();
  const socket = connect(socketPath);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write('x'.repeat(maxLineBytes + 1));
  await once(socket, 'close');
  await (await client(socketPath)).call('set', { value: 'b' }, z.number(), 1000);
  expect(set).toEqual(['b']);
});

test('a request in pieces and several in one piece are read', async () => {
  const { socketPath, set } = await open();
  const socket = connect(socketPath);
  await once(socket, 'connect');
  for (const byte of '{"id":1,"method":"set","params":{"value":"é"}}') {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write('\n{"id":2,"method":"set","params":{"value":"b"}}\n{"id":3,"method":"set","params":{"value":"c"}}\n');
  let text = '';
  while (!text.includes('"id":3')) text += String(((await once(socket, 'data')) as [Buffer])[0]);
  expect(set).toEqual(['é', 'b', 'c']);
  socket.destroy();
});
