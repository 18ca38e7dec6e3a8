import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HostdProcess } from './support/hostd-process.ts';

const launcher = path.resolve(import.meta.dirname, '..', 'hostd', 'bin', 'offshoot');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-start-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Outcome {
  code: number | null;
  text: string;
}

function hostd(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}, prefix: readonly string[] = []): Outcome {
  const [command = launcher, ...rest] = [...prefix, launcher];
  const where = ['--state', path.join(folder, 'state'), '--listen', `unix:${path.join(folder, 'hostd.sock')}`];
  const result = spawnSync(command, [...rest, 'hostd', ...where, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return { code: result.status, text: result.stdout + result.stderr };
}

describe('what a newcomer meets is answered with the mending command', () => {
  test('not root', async () => {
    await chmod(folder, 0o777);
    const { code, text } = hostd([], {}, ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']);
    expect(code).toBe(125);
    expect(text).toContain('[not-root]');
    expect(text).toContain('sudo');
  });

  test('QEMU missing', () => {
    // in a mount namespace of its own the program is covered by something that can't be executed
    const cover = 'mount --bind /dev/null "$(command -v qemu-system-x86_64)" && exec "$@"';
    const { code, text } = hostd([], {}, ['unshare', '--mount', 'sh', '-c', cover, 'sh']);
    expect(code).toBe(125);
    expect(text).toContain('[tool-missing]');
    expect(text).toContain('apt-get install');
  });

  test('KVM required but broken', () => {
    const { code, text } = hostd(['--require-kvm']);
    expect(code).toBe(125);
    expect(text).toContain('[kvm-required]');
  });

  test('the socket is taken by another program', async () => {
    const other = createServer().listen(path.join(folder, 'hostd.sock'));
    await new Promise((resolve) => other.once('listening', resolve));
    const where = ['--state', path.join(folder, 'state'), '--listen', `unix:${path.join(folder, 'hostd.sock')}`];
    // not the synchronous way: the program that holds the socket lives in this process and has to answer
    const child = await new Promise<Outcome>((resolve) => {
      execFile(launcher, ['hostd', ...where], { timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
      });
    });
    other.close();
    expect(child.code).toBe(125);
    expect(child.text).toContain('[socket-taken]');
  });

  test('an unknown setting is named', async () => {
    await writeFile(path.join(folder, 'config.json'), '{"sandboxes": {"maxSandbox": 3}}');
    const { code, text } = hostd(['--config', path.join(folder, 'config.json')]);
    expect(code).toBe(125);
    expect(text).toContain('[config-invalid]');
    expect(text).toContain('maxSandbox');
  });

  test('a tcp address beyond loopback is refused while there are no tokens', () => {
    const { code, text } = hostd(['--listen', 'tcp:0.0.0.0:7999']);
    expect(code).toBe(125);
    expect(text).not.toMatch(/\n\s+at /);
  });
});

describe('two daemons and two versions', () => {
  test('another hostd on the same state directory', async () => {
    await using first = await HostdProcess.start({ stateDirectory: path.join(folder, 'state') });
    expect(first.pid).toBeGreaterThan(0);
    const { code, text } = hostd();
    expect(code).toBe(125);
    expect(text).toContain('[state-locked]');
  });

  test('state of a newer version', async () => {
    await (await HostdProcess.start({ stateDirectory: path.join(folder, 'state') })).stop();
    const files = (await readdir(path.join(folder, 'state'))).filter((name) => name.endsWith('.db'));
    for (const file of files) {
      const database = new DatabaseSync(path.join(folder, 'state', file));
      database.exec('PRAGMA user_version = 9999');
      database.close();
    }
    const { code, text } = hostd();
    expect(code).toBe(125);
    expect(text).toContain('[state-newer]');
  });

  test('a socket file that a killed hostd left is no obstacle, and the socket is 0660', async () => {
    const first = await HostdProcess.start({ stateDirectory: path.join(folder, 'state') });
    await first.kill();
    await first.start();
    const socket = first.host.slice('unix:'.length);
    expect((await stat(socket)).mode & 0o777).toBe(0o660);
    await first[Symbol.asyncDispose]();
    expect(await stat(socket).catch(() => 'gone')).toBe('gone');
  });
});
