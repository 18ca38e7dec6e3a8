import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Guest, GuestExecSpec } from '../guest.ts';
import { encodeFields } from '../protocol/fields.ts';
import { ChannelConnector } from './connector.ts';
import { type CarrierServer, type Cut, cuttingProxy, socketFolder } from './testing/carriers.ts';
import { buildAgent, RealAgent } from './testing/real-agent.ts';
import { RawHost } from './testing/raw-host.ts';
import { CollectingSink, DigestSink, sha256 } from './testing/sinks.ts';

let folder: ReturnType<typeof socketFolder>;
let agent: RealAgent;
let guest: Guest;

beforeAll(() => buildAgent(), 120_000);

beforeEach(async () => {
  folder = socketFolder();
  agent = await new RealAgent(folder.path).ready();
  guest = await connect(agent.socketPath, false);
});

afterEach(async () => {
  guest.disconnect();
  await agent.kill();
  folder[Symbol.dispose]();
});

function connect(socketPath: string, midStream = true): Promise<Guest> {
  return new ChannelConnector().connect({ socketPath, midStream, helloTimeoutMs: 5000 });
}

function execFields(script: string): Buffer {
  return encodeFields([
    ['kind', 'exec'],
    ['shell', script],
    ['cwd', '/'],
    ['stdin', 1],
  ]);
}

function shell(script: string, more: Partial<GuestExecSpec> = {}): GuestExecSpec {
  return { shell: script, env: {}, cwd: agent.workspace, user: 'root', stdin: false, ...more };
}

async function run(script: string, more: Partial<GuestExecSpec> = {}) {
  const sink = new CollectingSink();
  const exec = guest.exec(shell(script, more), sink);
  const result = await exec.result;
  exec.close();
  return { ...result, stdout: Buffer.concat(sink.stdout).toString(), stderr: Buffer.concat(sink.stderr).toString() };
}

describe('execs', () => {
  test('exit code, both channels, environment, working directory', async () => {
    const result = await run('echo "$A"; pwd; echo oops >&2; exit 3', { env: { A: 'x "y" $z' } });
    expect(result).toMatchObject({ exitCode: 3, stdout: `x "y" $z\n${agent.workspace}\n`, stderr: 'oops\n' });
    expect(result.maxRssKiB).toBeGreaterThan(100);
  });

  test('arguments go in untouched, also empty and binary-looking ones', async () => {
    const sink = new CollectingSink();
    const argv = ['/usr/bin/printf', '[%s]', '', ' a b ', '$HOME', "'", '\u00e9\n'];
    const exec = guest.exec({ argv, env: {}, cwd: '/', user: 'root', stdin: false }, sink);
    expect(await exec.result).toMatchObject({ exitCode: 0 });
    expect(sink.text).toBe("[][ a b ][$HOME]['][\u00e9\n]");
  });

  test('a missing command, a missing cwd and a missing user are named', async () => {
    const start = (spec: Partial<GuestExecSpec>) =>
      guest
        .exec({ ...shell(''), ...spec }, new CollectingSink())
        .result.then(({ exitCode, failure }) => [exitCode, failure?.code]);
    const { shell: _shell, ...argvSpec } = shell('');
    const missing = guest.exec({ ...argvSpec, argv: ['/no/such'] }, new CollectingSink());
    expect(await missing.result).toMatchObject({ exitCode: 127, failure: { code: 'command-not-found' } });
    expect((await start({ cwd: '/no/such' }))[1]).toBe('cwd-missing');
    expect((await start({ user: 'nobody-at-all' }))[1]).toBe('user-missing');
  });

  test('a 300 KB script, and an environment value of 1 MB that the kernel refuses', async () => {
    expect(await run(`${'# comment\n'.repeat(30_000)}echo done`)).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    expect((await run('true', { env: { BIG: 'x'.repeat(1_000_000) } })).failure?.code).toBe('spawn-failed');
    expect(() => guest.exec(shell('x'.repeat(2_100_000)), new CollectingSink())).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    );
  });

  test('input flows through and ends; what is not read waits without harm', async () => {
    const sink = new DigestSink();
    const exec = guest.exec(shell('cat', { stdin: true }), sink);
    const input = randomBytes(8 * 1024 * 1024);
    await exec.write(input);
    exec.endInput();
    expect(await exec.result).toMatchObject({ exitCode: 0 });
    expect(exec.inputConsumedBytes).toBe(input.length);
    expect(sink.digest()).toBe(sha256(input));

    const deaf = guest.exec(shell('sleep 0.2', { stdin: true }), new CollectingSink());
    const refused = expect(deaf.write(randomBytes(4 * 1024 * 1024))).rejects.toMatchObject({ code: 'exec-ended' });
    expect(await deaf.result).toMatchObject({ exitCode: 0 });
    await refused;
  });

  test('a signal reaches the group; a timeout ends it; close kills what still runs', async () => {
    const sleeper = guest.exec(shell('sleep 60 & wait'), new CollectingSink());
    sleeper.signal(15);
    expect(await sleeper.result).toMatchObject({ exitCode: null, signalNumber: 15 });
    expect(await run('sleep 60', { timeoutMs: 100 })).toMatchObject({ timedOut: true, signalNumber: 15 });
    const forever = guest.exec(shell('echo $$; sleep 60'), new CollectingSink());
    const sink = new CollectingSink();
    const left = guest.exec(shell('echo $$; exec sleep 60'), sink);
    while (sink.nextOffset === 0) await sleep(2);
    left.close();
    forever.close();
    await expect(left.result).rejects.toMatchObject({ code: 'aborted' });
    while (existsSync(`/proc/${sink.text.trim()}`)) await sleep(2);
  });

  test('a terminal has its size, takes a new one, and echoes', async () => {
    const sink = new CollectingSink();
    const exec = guest.exec(
      shell('stty size; read line; stty size', { stdin: true, pty: { rows: 24, cols: 80 } }),
      sink,
    );
    while (!sink.text.includes('24 80')) await sleep(2);
    exec.resize(40, 100);
    await guest.ping(5000);
    await exec.write(Buffer.from('go\n'));
    expect(await exec.result).toMatchObject({ exitCode: 0 });
    expect(sink.text.replaceAll('\r', '')).toBe('24 80\ngo\n40 100\n');
  });

  test('a background child that holds the pipes does not keep the exec', async () => {
    const startMs = performance.now();
    expect(await run('sleep 30 & echo up')).toMatchObject({ exitCode: 0, stdout: 'up\n' });
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});

describe('much output', () => {
  test('256 MiB of binary output arrive whole', async () => {
    const sink = new DigestSink();
    const exec = guest.exec(shell("dd if=/dev/zero bs=1M count=256 status=none | tr '\\0' '\\377'"), sink);
    expect(await exec.result).toMatchObject({ exitCode: 0 });
    expect(sink.nextOffset).toBe(256 * 1024 * 1024);
    expect(sink.digest()).toBe(sha256(Buffer.alloc(256 * 1024 * 1024, 255)));
  });

  test('a line of 1 MiB, and a million short lines on two channels, each in order', async () => {
    expect((await run("head -c 1048576 /dev/zero | tr '\\0' a; echo")).stdout).toBe(`${'a'.repeat(1_048_576)}\n`);
    const script = 'import sys\nfor i in range(500000):\n print(i); sys.stderr.write("%d\\n" % -i)';
    const sink = new DigestSink();
    const exec = guest.exec(shell(`exec python3 -c '${script}'`), sink);
    expect(await exec.result).toMatchObject({ exitCode: 0 });
    const lines = Array.from({ length: 500_000 }, (_value, index) => index);
    expect(sink.digest('stdout')).toBe(sha256(Buffer.from(lines.map((line) => `${String(line)}\n`).join(''))));
    expect(sink.digest('stderr')).toBe(
      sha256(Buffer.from(lines.map((line) => `${line === 0 ? '0' : String(-line)}\n`).join(''))),
    );
  }, 60_000);
});

describe('cuts', () => {
  let proxy: CarrierServer | undefined;
  afterEach(async () => {
    await proxy?.close();
  });

  async function through(cuts: Cut[]): Promise<Guest> {
    guest.disconnect();
    proxy = await cuttingProxy(folder.socketPath, agent.socketPath, cuts);
    guest = await connect(folder.socketPath);
    return guest;
  }

  test('echo of 4 MiB over thirty cuts at random bytes of both directions', async () => {
    const random = (max: number): number => 200 + Math.floor(Math.random() * max);
    const cuts = Array.from({ length: 30 }, (_value, index) =>
      index % 5 === 0
        ? { toGuestBytes: random(300), toHostBytes: random(600) }
        : { toGuestBytes: random(400_000), toHostBytes: random(400_000) },
    );
    await through(cuts);
    const input = randomBytes(4 * 1024 * 1024);
    const sink = new DigestSink();
    const exec = guest.exec(shell('exec cat', { stdin: true }), sink);
    const written = exec.write(input);
    exec.endInput();
    expect(await exec.result, JSON.stringify(cuts)).toMatchObject({ exitCode: 0 });
    await written;
    expect(sink.digest(), JSON.stringify(cuts)).toBe(sha256(input));
    expect(proxy?.connections).toBeGreaterThan(5);
  }, 60_000);

  test('another hostd takes the exec up where the first had stored it', async () => {
    const sink = new CollectingSink();
    const exec = guest.exec(shell('for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.05; done; exit 9'), sink);
    while (sink.nextOffset < 14) await sleep(5);
    guest.disconnect();
    await expect(exec.result).rejects.toMatchObject({ code: 'shutting-down' });
    await sleep(150);
    guest = await connect(agent.socketPath);
    expect(guest.hello.streams).toMatchObject([{ id: exec.streamId, kind: 'exec' }]);
    const second = new CollectingSink(sink.nextOffset);
    const adopted = guest.adoptExec(exec.streamId, sink.nextOffset, second);
    expect(await adopted?.result).toMatchObject({ exitCode: 9 });
    expect(second.gapBytes).toBe(0);
    expect(sink.text + second.text).toBe([1, 2, 3, 4, 5, 6, 7, 8].map((line) => `line ${String(line)}\n`).join(''));
    expect(guest.adoptExec(exec.streamId, 0, second)).toBeUndefined();
    adopted?.close();
  });

  test('strays nobody takes up are dropped on request', async () => {
    const exec = guest.exec(shell('sleep 60'), new CollectingSink());
    await guest.ping(5000);
    guest.disconnect();
    guest = await connect(agent.socketPath);
    expect(guest.reserveStreamId()).toBeGreaterThan(exec.streamId);
    guest.closeStrays();
    await guest.ping(5000);
    guest.disconnect();
    guest = await connect(agent.socketPath);
    expect(guest.hello.streams).toEqual([]);
  });
});

test('what the list of streams grants may be sent, though no ACK ever said so', async () => {
  guest.disconnect();
  const first = await RawHost.connect(agent.socketPath);
  const open = (streamId: number, script: string): void =>
    first.send({ type: 0x10, streamId, offset: 1024 * 1024, payload: execFields(script) });
  // The first exec's output fills the carrier that nobody reads, so that no ACK for the second's input can leave.
  first.socket.pause();
  open(1, 'exec yes');
  await sleep(200);
  open(2, 'exec cat >/dev/null');
  for (let offset = 0; offset < 65536; offset += 16384)
    first.send({ type: 0x12, streamId: 2, offset, payload: Buffer.alloc(16384) });
  await sleep(200);
  const second = await RawHost.connect(agent.socketPath);
  const stream = second.hello.streams.find(({ id }) => id === 2);
  expect(stream).toMatchObject({ receivedBytes: 65536, inputLimitBytes: 131072 });
  for (let offset = 65536; offset < 131072; offset += 16384)
    second.send({ type: 0x12, streamId: 2, offset, payload: Buffer.alloc(16384) });
  second.send({ type: 0x20, streamId: 0, offset: 0, payload: Buffer.from('alive?') });
  await expect.poll(() => second.frames.map(({ type }) => type)).toContain(0x21);
  first.socket.destroy();
  second.socket.destroy();
});

describe('files', () => {
  const inside = (name: string): string => join(agent.workspace, name);

  test('write, read, stat and list', async () => {
    const content = randomBytes(3 * 1024 * 1024);
    const written = await guest.files.write(inside('a/b.bin'), Readable.from([content]), {
      mode: 0o750,
      parents: true,
    });
    expect(written).toEqual({ sizeBytes: content.length });
    expect((await buffer(await guest.files.read(inside('a/b.bin')))).equals(content)).toBe(true);
    const entry = await guest.files.stat(inside('a/b.bin'));
    expect(entry).toMatchObject({ type: 'file', sizeBytes: content.length, mode: 0o750, uid: 0 });
    expect(Math.abs(entry.mtimeMs - statSync(inside('a/b.bin')).mtimeMs)).toBeLessThan(1);
    symlinkSync('a/b.bin', inside('link'));
    writeFileSync(inside('empty'), '');
    expect((await buffer(await guest.files.read(inside('empty')))).length).toBe(0);
    expect(
      (await guest.files.list(agent.workspace, { recursive: true }))
        .map(({ name, type, target }) => [name, type, target])
        .sort(),
    ).toEqual([
      ['a', 'directory', undefined],
      ['a/b.bin', 'file', undefined],
      ['empty', 'file', undefined],
      ['link', 'symlink', 'a/b.bin'],
    ]);
  });

  test('what can not be read or written says why', async () => {
    await run('mkfifo fifo; mkdir folder');
    await expect(guest.files.read(inside('none'))).rejects.toMatchObject({
      code: 'guest-file-not-found',
      details: { reason: 'not-found' },
    });
    await expect(guest.files.read(inside('fifo'))).rejects.toMatchObject({
      code: 'guest-file-error',
      details: { reason: 'not-a-file' },
    });
    await expect(guest.files.read(inside('folder'))).rejects.toMatchObject({
      code: 'guest-file-error',
      details: { reason: 'is-a-directory' },
    });
    await expect(guest.files.write(inside('x/y'), Readable.from(['z']))).rejects.toMatchObject({
      code: 'guest-file-not-found',
    });
    await expect(guest.files.list(inside('none'))).rejects.toMatchObject({ code: 'guest-file-not-found' });
    await expect(guest.files.stat(inside('a\0b'))).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(guest.files.archive(inside('none'))).rejects.toMatchObject({ code: 'guest-file-not-found' });
  });

  test('a write whose source dies half way leaves nothing, not even beside', async () => {
    let fed = 0;
    const dying = new Readable({
      read() {
        fed += 1;
        if (fed > 20) this.destroy(new Error('client gone'));
        else this.push(randomBytes(65536));
      },
    });
    await expect(guest.files.write(inside('half'), dying)).rejects.toMatchObject({ code: 'aborted' });
    await guest.ping(5000);
    while (readdirSync(agent.workspace).length > 0) await sleep(2);
    expect(readdirSync(agent.workspace)).toEqual([]);
  });

  test('a reader that stops stops the guest, and going on goes on', async () => {
    writeFileSync(inside('large'), randomBytes(12 * 1024 * 1024));
    const stream = await guest.files.read(inside('large'));
    await sleep(100);
    expect(stream.readableLength).toBeLessThan(2 * 1024 * 1024);
    expect(sha256(await buffer(stream))).toBe(sha256(readFileSync(inside('large'))));
    const dropped = await guest.files.read(inside('large'));
    dropped.destroy();
    await guest.ping(5000);
    guest.disconnect();
    guest = await connect(agent.socketPath);
    expect(guest.hello.streams).toEqual([]);
  });

  test('a tree goes out as tar and comes back in', async () => {
    mkdirSync(inside('tree/sub'), { recursive: true });
    writeFileSync(inside('tree/sub/file'), 'content');
    chmodSync(inside('tree/sub/file'), 0o755);
    symlinkSync('sub/file', inside('tree/link'));
    writeFileSync(inside(`tree/${'n'.repeat(200)}`), randomBytes(300_000));
    writeFileSync(inside('tree/skip.log'), 'x');
    const archive = await guest.files.archive(inside('tree'), { exclude: ['*.log'] });
    const result = await guest.files.extract(inside('copy'), archive);
    expect(result.skipped).toBe(0);
    expect(result.entries).toBeGreaterThanOrEqual(4);
    expect((await run('diff -r tree copy; stat -c %a copy/sub/file; readlink copy/link')).stdout).toBe(
      'Only in tree: skip.log\n755\nsub/file\n',
    );
  });
});

test('prepareResume, metrics, sync, ping', async () => {
  const identity = {
    entropy: randomBytes(32),
    hostname: 'box',
    machineId: 'a'.repeat(32),
    bootId: '5e0d0d2e-3b7c-4d1e-9a53-0f5c7f9b9a11',
    generation: 7,
    dropStreams: true,
  };
  const beforeMs = Date.now();
  await guest.prepareResume(identity, 5000);
  const read = (name: string): string => readFileSync(join(agent.identityFolder, name), 'utf8').trim();
  expect(read('hostname')).toBe('box');
  expect(read('generation')).toBe('7');
  const clockMs = Number(BigInt(read('clock-ns')) / 1_000_000n);
  expect(clockMs).toBeGreaterThanOrEqual(beforeMs);
  expect(clockMs).toBeLessThanOrEqual(Date.now());
  await expect(guest.prepareResume({ ...identity, machineId: 'short' }, 5000)).rejects.toMatchObject({
    code: 'boot-failed',
  });
  const metrics = await guest.metrics(5000);
  expect(metrics.memoryTotalKiB).toBeGreaterThan(metrics.memoryAvailableKiB);
  expect(Math.abs(metrics.clockMs - Date.now())).toBeLessThan(5000);
  await guest.sync(30_000);
  await guest.ping(5000);
});

test('a copy runs its hooks; a failing one is named with what it said, and a merely resumed machine runs none', async () => {
  const hooks = join(agent.identityFolder, 'etc/offshoot/on-fork.d');
  mkdirSync(hooks, { recursive: true });
  const hook = join(hooks, '10-note');
  writeFileSync(hook, `#!/bin/sh\necho "$OFFSHOOT_GENERATION $OFFSHOOT_SANDBOX_HOSTNAME" >>${agent.workspace}/noted\n`);
  chmodSync(hook, 0o755);
  const entropy = randomBytes(32);
  await guest.prepareResume({ entropy, dropStreams: false }, 5000);
  expect(existsSync(join(agent.workspace, 'noted'))).toBe(false);
  await guest.prepareResume({ entropy, dropStreams: false, copied: true, generation: 3, hostname: 'copy' }, 5000);
  expect(readFileSync(join(agent.workspace, 'noted'), 'utf8')).toBe('3 copy\n');
  writeFileSync(hook, '#!/bin/sh\necho no licence left >&2\nexit 4\n');
  await expect(guest.prepareResume({ entropy, dropStreams: false, copied: true }, 5000)).rejects.toMatchObject({
    code: 'boot-failed',
    message: expect.stringContaining('10-note: exit code 4: no licence left'),
    details: { reason: 'io', step: 'hook' },
  });
});

test('a workload without control groups can not be frozen', async () => {
  expect(guest.hello.capabilities.has('freeze-workload')).toBe(false);
  await expect(guest.freezeWorkload(1000)).rejects.toMatchObject({ code: 'guest-protocol' });
});

test('the agent dies: everything that waits is told within seconds', async () => {
  const exec = guest.exec(shell('sleep 60'), new CollectingSink());
  await guest.ping(5000);
  await agent.kill();
  expect(await guest.closed).toBe('carrier-gone');
  await expect(exec.result).rejects.toMatchObject({ code: 'guest-unresponsive', details: { reason: 'carrier-gone' } });
  expect(() => guest.exec(shell('true'), new CollectingSink())).toThrow(
    expect.objectContaining({ code: 'guest-unresponsive' }),
  );
});
