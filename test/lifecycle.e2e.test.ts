import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { newSandboxId } from '../hostd/sandbox/ids.ts';
import { expectRightClock } from './support/guest-clock.ts';
import { takeHostPicture } from './support/host-picture.ts';
import { leftovers, useHostd } from './support/suite.ts';

const suite = useHostd();

describe('create', () => {
  test('a sandbox is a machine of its own', async () => {
    await using sandbox = await suite.create();
    expect(sandbox.info).toMatchObject({ state: 'running', image: 'default', cpus: 1, memoryMiB: 512 });
    expect(sandbox.info.isolation.reason.length).toBeGreaterThan(5);
    const { stdout } = await sandbox.exec(
      'uname -r; cat /proc/sys/kernel/random/boot_id; hostname; nproc; pwd; id -un',
      {
        check: true,
      },
    );
    const [kernel, bootId, hostname, cpus, folder, user] = stdout.trim().split('\n');
    expect(kernel).not.toBe(process.version);
    expect(bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(hostname).not.toBe('');
    expect([cpus, folder, user]).toEqual(['1', '/workspace', 'root']);
  });

  test('two sandboxes share no randomness, identity or files, and their clocks are right', async () => {
    await using a = await suite.create();
    await using b = await suite.create();
    const facts =
      'head -c 16 /dev/urandom | od -An -tx1; cat /etc/machine-id /proc/sys/kernel/random/boot_id; hostname';
    const [one, two] = await Promise.all([a.exec(facts, { check: true }), b.exec(facts, { check: true })]);
    const lines = [one, two].map((result) => result.stdout.trim().split('\n'));
    for (const [index, line] of (lines[0] ?? []).entries()) expect(lines[1]?.[index]).not.toBe(line);
    await a.files.write('/workspace/only-here', 'x');
    await expect(b.files.read('/workspace/only-here')).rejects.toMatchObject({ code: 'guest-file-not-found' });
    await expectRightClock(a);
  });

  test('two CPUs and more memory are really there', async () => {
    await using sandbox = await suite.create({ cpus: 2, memoryMiB: 700 });
    expect(sandbox.info.memoryMiB).toBeGreaterThanOrEqual(700);
    const { stdout } = await sandbox.exec('nproc; grep MemTotal /proc/meminfo', { check: true });
    expect(stdout).toMatch(/^2\n/);
    expect(Number(/MemTotal:\s+(\d+)/.exec(stdout)?.[1])).toBeGreaterThan(600 * 1024);
  });

  test('the same id and body is the same sandbox, another body is refused', async () => {
    const id = newSandboxId();
    const [first, second] = await Promise.all([suite.create({ id }), suite.create({ id })]);
    expect(first.id).toBe(second.id);
    await expect(suite.create({ id, memoryMiB: 1024 })).rejects.toMatchObject({ code: 'sandbox-id-taken' });
    await first.stop();
    expect(await second.refresh()).toMatchObject({ state: 'gone', end: { reason: 'stopped' } });
  });

  test('an Idempotency-Key answers the same sandbox, and refuses another request', async () => {
    const request = { id: newSandboxId(), idempotencyKey: randomUUID() };
    const first = await suite.create(request);
    const second = await suite.create(request);
    expect(second.id).toBe(first.id);
    await expect(suite.create({ ...request, cpus: 2 })).rejects.toMatchObject({ code: 'idempotency-conflict' });
    await first.stop();
  });

  test('labels find sandboxes, env and labels are as given, env values never show', async () => {
    await using sandbox = await suite.create({ labels: { team: 'a', job: '7' }, env: { SECRET: 'hunter2' } });
    const found = await Sandbox.list({ labels: { team: 'a', job: '7' }, connection: { host: suite.host } });
    expect(found.map((info) => info.id)).toEqual([sandbox.id]);
    expect(await Sandbox.list({ labels: { team: 'b' }, connection: { host: suite.host } })).toEqual([]);
    expect((await sandbox.exec('echo $SECRET')).stdout).toBe('hunter2\n');
    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(suite.hostd.tail).not.toContain('hunter2');
  });
});

describe('bad input', () => {
  test.each([
    ['unknown image', { image: 'no-such-image' }, 'image-not-found'],
    ['bad image name', { image: '../etc' }, 'invalid-request'],
    ['no memory to boot in', { memoryMiB: 8 }, 'invalid-request'],
    ['more memory than the host has', { memoryMiB: 1_000_000 }, 'capacity-impossible'],
    ['more memory than a number may be', { memoryMiB: 1e15 }, 'invalid-request'],
    ['negative cpus', { cpus: -1 }, 'invalid-request'],
    ['NaN', { cpus: Number.NaN }, 'invalid-request'],
    ['a string for a number', { cpus: '2' as unknown as number }, 'invalid-request'],
    ['a slash in the id', { id: 'sbx_a/b' }, 'invalid-request'],
    ['dots in the id', { id: 'sbx_..' }, 'invalid-request'],
    ['NUL in the id', { id: 'sbx_a\0b' }, 'invalid-request'],
    ['unicode in the id', { id: 'sbx_ä' }, 'invalid-request'],
    ['an id of 10 kB', { id: `sbx_${'a'.repeat(10_240)}` }, 'invalid-request'],
    ['NUL in env', { env: { A: 'a\0b' } }, 'invalid-request'],
    ['= in an env name', { env: { 'A=B': 'c' } }, 'invalid-request'],
    ['an env value of 1 MB', { env: { A: 'x'.repeat(1_000_000) } }, 'invalid-request'],
    ['an unknown field', { memory: 512 } as object, 'invalid-request'],
  ])('%s is refused with %s', async (_name, options, code) => {
    await expect(suite.create(options)).rejects.toMatchObject({ code });
  });
});

describe('the end of a sandbox', () => {
  test('stop answers when everything is gone, twice over and from two clients', async () => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    const other = await Sandbox.connect(sandbox.id, { host: suite.host });
    const [one, two] = await Promise.all([sandbox.stop(), other.stop()]);
    expect(one).toMatchObject({ state: 'gone', end: { reason: 'stopped' } });
    expect(two.endedAt).toBe(one.endedAt);
    expect(await sandbox.stop()).toMatchObject({ state: 'gone' });
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });

  test('the tombstone keeps reason, usage, results and output', async () => {
    const sandbox = await suite.create();
    const result = await sandbox.exec('echo kept; exit 3');
    const running = await sandbox.spawn('sleep 1000');
    const info = await sandbox.stop();
    expect(info.usage.wallSeconds).toBeGreaterThan(0);
    expect(info.usage.cpuSeconds).toBeGreaterThan(0);
    expect(info.usage.peakMemoryMiB).toBeGreaterThan(10);
    const execs = await sandbox.execs();
    expect(execs.find((exec) => exec.id === result.execId)).toMatchObject({ state: 'ended', exitCode: 3 });
    expect(execs.find((exec) => exec.id === running.id)).toMatchObject({
      state: 'ended',
      exitCode: null,
      failure: { code: 'sandbox-ended' },
    });
    let text = '';
    for await (const chunk of sandbox.execHandle(result.execId).output()) text += chunk.bytes.toString();
    expect(text).toBe('kept\n');
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'sandbox-gone' });
  });

  test('an exec that runs when its sandbox is stopped fails with sandbox-gone', async () => {
    const sandbox = await suite.create();
    const running = sandbox.exec('sleep 1000').catch((error: unknown) => error);
    await expect.poll(async () => (await sandbox.execs()).length, { timeout: 20_000 }).toBe(1);
    await sandbox.stop();
    expect(await running).toMatchObject({ code: 'sandbox-gone' });
  });

  test('a lease ends a sandbox, renewing keeps it, shortening needs a word', async () => {
    const short = await suite.create({ timeoutSeconds: 2 });
    const kept = await suite.create({ timeoutSeconds: 6 }); // long enough for a slow machine to renew it
    const firstEndMs = Date.parse(kept.info.expiresAt);
    await kept.renew(600);
    expect(Date.parse((await kept.renew(5)).expiresAt)).toBeGreaterThan(Date.now() + 300_000);
    await expect.poll(async () => (await short.refresh()).state, { timeout: 15_000, interval: 200 }).toBe('gone');
    expect(short.info.end).toMatchObject({ reason: 'lease-expired' });
    await sleep(Math.max(0, firstEndMs + 500 - Date.now()));
    expect(await kept.refresh()).toMatchObject({ state: 'running' });
    await kept.renew(1, { shorten: true });
    await expect.poll(async () => (await kept.refresh()).state, { timeout: 15_000, interval: 200 }).toBe('gone');
  });

  test('await using stops it, connect finds none that never was', async () => {
    let id: string;
    {
      await using sandbox = await suite.create();
      id = sandbox.id;
    }
    expect((await Sandbox.connect(id, { host: suite.host })).info.state).toBe('gone');
    await expect(Sandbox.connect('sbx_never', { host: suite.host })).rejects.toMatchObject({
      code: 'sandbox-not-found',
    });
  });

  test('events tell the whole story in order', async () => {
    const sandbox = await suite.create();
    await sandbox.exec('true');
    await sandbox.stop();
    const types: string[] = [];
    for await (const event of suite.client.events({ afterId: 0, sandboxId: sandbox.id })) types.push(event.type);
    expect(types).toEqual([
      'sandbox.creating',
      'sandbox.running',
      'exec.started',
      'exec.ended',
      'sandbox.stopping',
      'sandbox.gone',
    ]);
  });
});
