import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { ControlClient } from './control-client.ts';
import { helperFiles } from './helper-files.ts';
import { helperFlags } from './helper-flags.ts';
import { healthSchema } from './messages.ts';
import { identityIn, startHelper } from './start-helper.ts';
import { testFolder } from './testing/test-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

const proxyCommand = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  ...helperFlags,
  path.join(import.meta.dirname, 'proxy-process.ts'),
];

/** Reads 128 MiB from a socket, and prints how many MiB of it were in memory at most. */
const reader = `
import { connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
const name = '\\0offshoot-test-' + process.pid;
const piece = Buffer.alloc(64 * 1024);
const server = createServer((socket) => Readable.from(Array(2048).fill(piece)).pipe(socket));
server.listen(name, () => {
  let most = 0;
  const socket = connect(name);
  socket.on('data', () => (most = Math.max(most, process.memoryUsage().arrayBuffers)));
  socket.on('end', () => server.close(() => console.log(most / 1024 / 1024)));
});
`;

async function startProxyIn(folder: string): Promise<ControlClient> {
  const client = await startHelper(helperFiles(folder, 'proxy'), proxyCommand);
  onTestFinished(async () => {
    await client.call('end', {}, z.null(), 5000).catch(() => undefined);
    client.close();
  });
  return client;
}

const rssMiB = async (client: ControlClient) => (await client.call('health', {}, healthSchema, 5000)).rssMiB;

test('a helper whose files had to be compiled first takes no more memory than one that finds them in the cache', async () => {
  const folder = await testFolder();
  vi.stubEnv('NODE_COMPILE_CACHE', path.join(folder, 'cache'));
  const cold = await startProxyIn(folder);
  const coldMiB = await rssMiB(cold);
  await cold.call('end', {}, z.null(), 5000);
  await cold.closed;
  const warm = await startProxyIn(folder);
  // What strips types takes 14 to 27 MiB.
  expect(coldMiB - (await rssMiB(warm))).toBeLessThan(7);
});

test('a helper’s allocator has one arena for all its threads, also after it started over', async () => {
  const folder = await testFolder();
  await startProxyIn(folder);
  const pid = (await identityIn(helperFiles(folder, 'proxy')))?.pid;
  const environment = await readFile(`/proc/${String(pid)}/environ`, 'utf8');
  expect(environment.split('\0')).toContain('MALLOC_ARENA_MAX=1');
});

test('what has come and gone through a socket does not pile up in a helper', async () => {
  const args = [...helperFlags, '--input-type=module', '--eval', reader];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  // 32 MiB without the flag for it.
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(16);
});
