import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatAddress, parseListenAddress } from './address.ts';
import { listen, requireFreeAddress } from './listen.ts';
import { startApi } from './server.ts';
import { FakeHost } from './testing/fake-host.ts';

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-listen-'));
  server = createServer((socket) => socket.destroy());
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

describe('addresses', () => {
  it.each([
    ['unix:/run/x.sock', 'unix:/run/x.sock'],
    ['/run/x.sock', 'unix:/run/x.sock'],
    ['tcp:127.0.0.1:8080', 'tcp:127.0.0.1:8080'],
    ['tcp:127.9.9.9:0', 'tcp:127.9.9.9:0'],
    ['tcp:[::1]:80', 'tcp:[::1]:80'],
    ['tcp:localhost:80', 'tcp:localhost:80'],
  ])('%s is read and written again', (text, formatted) => {
    expect(formatAddress(parseListenAddress(text))).toBe(formatted);
  });

  it.each([
    'unix:relative',
    '',
    'tcp:0.0.0.0:80',
    'tcp:[::]:80',
    'tcp:10.0.0.1:80',
    'tcp:example.org:80',
    'tcp:127.0.0.1',
    'tcp:127.0.0.1:70000',
    'http://x',
    `unix:/${'x'.repeat(107)}`,
    'unix:/a\0b',
  ])('%j is config-invalid', (text) => {
    expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ code: 'config-invalid' }) as Error);
  });
});

describe('a unix socket', () => {
  it('is 0660 and of the group asked for', async () => {
    const path = join(folder, 'deep', 'hostd.sock');
    await listen(server, { kind: 'unix', path }, process.getuid?.() === 0 ? 12_345 : undefined);
    const { mode, gid } = statSync(path);
    expect(mode & 0o777).toBe(0o660);
    if (process.getuid?.() === 0) expect(gid).toBe(12_345);
  });

  it('left behind by a killed process is replaced', async () => {
    const path = join(folder, 'hostd.sock');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', script]), 'exit');
    expect(existsSync(path)).toBe(true);
    await expect(listen(server, { kind: 'unix', path })).resolves.toEqual({ kind: 'unix', path });
  });

  it('where another process answers is socket-taken', async () => {
    const path = join(folder, 'hostd.sock');
    const other = createServer((socket) => socket.destroy());
    await listen(other, { kind: 'unix', path });
    await expect(listen(server, { kind: 'unix', path })).rejects.toMatchObject({ code: 'socket-taken' });
    expect(existsSync(path)).toBe(true);
    other.close();
  });

  it('in a folder that can not be is config-invalid, also when asked beforehand', async () => {
    const address = { kind: 'unix', path: '/proc/nothing/hostd.sock' } as const;
    await expect(listen(server, address)).rejects.toMatchObject({ code: 'config-invalid' });
    await expect(requireFreeAddress(address)).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('never replaces a file that is no socket', async () => {
    const path = join(folder, 'precious');
    writeFileSync(path, 'data');
    await expect(listen(server, { kind: 'unix', path })).rejects.toMatchObject({ code: 'socket-taken' });
    expect(existsSync(path)).toBe(true);
  });
});

describe('tcp', () => {
  it('on a port in use is socket-taken', async () => {
    const other = createServer();
    const address = await listen(other, { kind: 'tcp', host: '127.0.0.1', port: 0 });
    await expect(listen(server, address)).rejects.toMatchObject({ code: 'socket-taken' });
    other.close();
  });

  it('serves programs of this machine, not web pages', async () => {
    const options = { host: new FakeHost(), log: pino({ level: 'silent' }), version: '0' };
    const api = await startApi({ ...options, listen: { kind: 'tcp', host: '127.0.0.1', port: 0 } });
    if (api.address.kind !== 'tcp') throw new Error('not tcp');
    const url = `http://127.0.0.1:${String(api.address.port)}/healthz`;
    const status = async (headers: Record<string, string>) => {
      const { statusCode, body } = await request(url, { headers });
      await body.dump();
      return statusCode;
    };
    expect(await status({})).toBe(200);
    expect(await status({ host: 'localhost:1' })).toBe(200);
    expect(await status({ origin: 'http://evil.example' })).toBe(400);
    expect(await status({ host: 'rebound.example' })).toBe(400);
    await api.stop();
  });
});
