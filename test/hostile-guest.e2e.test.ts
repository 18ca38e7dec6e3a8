import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../hostd/client/index.ts';
import { takeHostPicture } from './support/host-picture.ts';
import { leftovers, useHostd } from './support/suite.ts';
import { vmmPidsOf } from './support/vmm-processes.ts';

const suite = useHostd();

async function reasonOf(sandbox: Sandbox): Promise<string | undefined> {
  await expect.poll(async () => (await sandbox.refresh()).state, { timeout: 60_000, interval: 200 }).toBe('gone');
  return sandbox.info.end?.reason;
}

describe('a guest that breaks costs only itself', () => {
  test('out of memory: the exec says so and the sandbox goes on', { timeout: 180_000 }, async () => {
    await using sandbox = await suite.create({ memoryMiB: 512 });
    const result = await sandbox.exec(['python3', '-c', 'x = bytearray()\nwhile True: x += bytearray(8 << 20)']);
    expect([137, 1]).toContain(result.exitCode);
    expect(result.oomKilled || result.stderr.includes('MemoryError')).toBe(true);
    expect((await sandbox.exec('echo alive')).stdout).toBe('alive\n');
  });

  test('a kernel panic ends it with that reason', async () => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    const exec = await sandbox
      .exec('echo 1 > /proc/sys/kernel/sysrq; echo c > /proc/sysrq-trigger; sleep 60')
      .catch((e: unknown) => e);
    expect(exec).toMatchObject({ code: 'sandbox-gone' });
    expect(await reasonOf(sandbox)).toBe('guest-panicked');
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });

  test('a guest that powers itself off', async () => {
    const sandbox = await suite.create();
    await sandbox
      .exec('echo 1 > /proc/sys/kernel/sysrq; echo o > /proc/sysrq-trigger; sleep 60')
      .catch((e: unknown) => e);
    expect(['guest-shutdown', 'guest-panicked']).toContain(await reasonOf(sandbox));
  });

  test('the agent can not be killed from inside', async () => {
    await using sandbox = await suite.create();
    const result = await sandbox.exec(
      'for s in KILL TERM STOP SEGV HUP INT; do kill -$s 1; done; sleep 0.5; echo survived',
    );
    expect(result.stdout).toBe('survived\n');
    expect((await sandbox.exec('echo on')).stdout).toBe('on\n');
  });

  test('a fork bomb: stop still answers in time', { timeout: 120_000 }, async () => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    await sandbox.spawn(':(){ :|:& };:', {});
    await sandbox.spawn(['bash', '-c', ':(){ :|:& };:']);
    await sleep(3000);
    const started = Date.now();
    expect(await sandbox.stop()).toMatchObject({ state: 'gone' });
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });

  test('a full disk: uploads and commands are told, the sandbox goes on', { timeout: 300_000 }, async () => {
    await using sandbox = await suite.create();
    await sandbox.exec('fallocate -l $(($(df --output=avail -B1 / | tail -1) - 4194304)) /filler', { check: true });
    await expect(sandbox.files.write('/workspace/big', Buffer.alloc(64 * 1024 * 1024))).rejects.toMatchObject({
      code: 'guest-disk-full',
    });
    expect(await sandbox.exec('head -c 67108864 /dev/zero > /workspace/out')).toMatchObject({ exitCode: 1 });
    const loud = await sandbox.exec('head -c 5000000 /dev/zero; echo end');
    expect(loud.stdout.endsWith('end\n')).toBe(true);
    await sandbox.exec('rm /filler /workspace/out', { check: true });
    await sandbox.files.write('/workspace/small', 'fits again');
  });
});

describe('processes that are killed', () => {
  test('QEMU killed: the sandbox ends as vmm-killed and nothing is left', async () => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    const waiting = sandbox.exec('sleep 1000').catch((error: unknown) => error);
    const [qemu] = await vmmPidsOf(suite.stateDirectory, sandbox.id);
    process.kill(qemu ?? 0, 'SIGKILL');
    expect(await reasonOf(sandbox)).toBe('vmm-killed');
    expect(await waiting).toMatchObject({ code: 'sandbox-gone' });
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });

  test('QEMU stopped with SIGSTOP: stop is bounded', { timeout: 90_000 }, async () => {
    const before = await takeHostPicture();
    const sandbox = await suite.create();
    const [qemu] = await vmmPidsOf(suite.stateDirectory, sandbox.id);
    process.kill(qemu ?? 0, 'SIGSTOP');
    expect(await sandbox.stop()).toMatchObject({ state: 'gone' });
    expect(await leftovers(before, suite.stateDirectory)).toEqual([]);
  });

  test('QEMU killed while hostd is away: a tombstone after its return', async () => {
    const sandbox = await suite.create();
    const [qemu] = await vmmPidsOf(suite.stateDirectory, sandbox.id);
    await suite.hostd.kill();
    process.kill(qemu ?? 0, 'SIGKILL');
    await suite.hostd.start();
    expect(await sandbox.refresh()).toMatchObject({ state: 'gone', end: { reason: 'vmm-killed' } });
  });

  test('QEMU runs as an unprivileged user without capabilities', async () => {
    await using sandbox = await suite.create();
    const [qemu] = await vmmPidsOf(suite.stateDirectory, sandbox.id);
    const status = await readFile(path.join('/proc', String(qemu), 'status'), 'utf8');
    const uids = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1).map(Number) ?? [];
    expect(new Set(uids).size).toBe(1);
    expect(uids[0]).toBeGreaterThan(1000);
    expect(/^CapEff:\s+0+$/m.test(status)).toBe(true);
    expect(/^NoNewPrivs:\s+1$/m.test(status)).toBe(true);
    expect(/^Seccomp:\s+2$/m.test(status)).toBe(true);
  });
});
