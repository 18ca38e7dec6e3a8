import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const launcher = join(import.meta.dirname, '../bin/offshoot');
let folder: string;
let socketPath: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-run-'));
  socketPath = join(folder, 'hostd.sock');
  const network = { instance: 'rundae', subnet: '10.97.0.0/20' };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ kvm: 'off', network }));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

interface Run {
  child: ChildProcess;
  exit: Promise<unknown[]>;
  output: { stdout: string; stderr: string };
}

async function startReady(): Promise<Run> {
  const args = ['hostd', '--state', join(folder, 'state'), '--listen', `unix:${socketPath}`];
  const child = spawn(launcher, [...args, '--config', join(folder, 'config.json')]);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  // Not `exit`, after which the last lines may still be on their way.
  const exit = once(child, 'close');
  await expect.poll(() => output.stdout + output.stderr, { timeout: 60_000 }).toContain('is ready on');
  return { child, exit, output };
}

it('says in one line that it is ready, logs JSON, and ends with 0 at the first signal', async () => {
  const { child, exit, output } = await startReady();
  expect(output.stdout).toMatch(
    /^offshoot hostd \S+ is ready on unix:.*hostd\.sock, state in .*; isolation: emulated \(.+\)\n$/,
  );
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(existsSync(socketPath)).toBe(false);
  const lines = output.stderr.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    ...lines.slice(3).map(() => expect.any(String) as unknown),
    'ready',
    'stopping; sandboxes go on',
    'stopped',
  ]);
});

it('ends at once at the second signal', async () => {
  const { child, exit, output } = await startReady();
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // What is only begun keeps the graceful end waiting; it has arrived when the answer to what is in front of it has come.
  const begun = 'PUT /v1/sandboxes/sbx_1/files?path=/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n';
  socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n${begun}`);
  await once(socket, 'data');
  child.kill('SIGINT');
  await expect.poll(() => output.stderr, { timeout: 20_000 }).toContain('stopping');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(child.exitCode).toBeNull();
  child.kill('SIGINT');
  expect(await exit).toEqual([130, null]);
  socket.destroy();
  const next = await startReady(); // takes up what that end left, and takes it along
  next.child.kill('SIGTERM');
  expect(await next.exit).toEqual([0, null]);
});
