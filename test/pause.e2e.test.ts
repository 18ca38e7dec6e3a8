import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../hostd/client/index.ts';
import { expectRightClock } from './support/guest-clock.ts';
import { countIn, expectCounting } from './support/guest-counter.ts';
import { useHostd } from './support/suite.ts';
import { cpuTicks, vmmPidsOf } from './support/vmm-processes.ts';

const suite = useHostd();

const answer = async (sandbox: Sandbox, command: string) =>
  (await sandbox.exec(command, { check: true })).stdout.trim();

/** A server and a client inside that talk over one TCP connection all the time. */
const talk = [
  'import socket, threading, time',
  "server = socket.create_server(('127.0.0.1', 7000))",
  'def serve():',
  '  peer, _ = server.accept()',
  '  while True: peer.sendall(peer.recv(64))',
  'threading.Thread(target=serve, daemon=True).start()',
  "link = socket.create_connection(('127.0.0.1', 7000))",
  'n = 0',
  'while True:',
  "  link.sendall(b'x'); assert link.recv(64) == b'x'; n += 1",
  "  open('/run/turns', 'w').write(str(n)); time.sleep(0.02)",
].join('\n');

async function startTalk(sandbox: Sandbox): Promise<void> {
  await sandbox.files.write('/workspace/talk.py', talk);
  await sandbox.spawn('python3 /workspace/talk.py');
  await countIn(sandbox, '/run/turns');
}

const expectTalking = (sandbox: Sandbox) => expectCounting(sandbox, '/run/turns');

describe('pause and resume', { timeout: 180_000 }, () => {
  test('from memory: no CPU while it is paused, the clock right and TCP inside alive after', async () => {
    await using sandbox = await suite.create();
    await startTalk(sandbox);
    expect(await sandbox.pause()).toMatchObject({ state: 'paused', paused: { hibernated: false } });
    const [pid = 0] = await vmmPidsOf(suite.stateDirectory, sandbox.id);
    const before = await cpuTicks(pid);
    await sleep(2000);
    expect((await cpuTicks(pid)) - before).toBeLessThanOrEqual(2);
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'sandbox-not-running' });
    expect(await sandbox.resume()).toMatchObject({ state: 'running', paused: null });
    await expectRightClock(sandbox);
    await expectTalking(sandbox);
  });

  test('from disk: no process while it sleeps; disk, memory, execs and TCP inside go on', async () => {
    await using sandbox = await suite.create();
    await startTalk(sandbox);
    await sandbox.exec('echo kept > /workspace/kept; head -c 50000000 /dev/urandom > /dev/shm/r', { check: true });
    const sum = await answer(sandbox, 'sha256sum < /dev/shm/r');
    const started = Promise.withResolvers<undefined>();
    const counting = sandbox.exec('for i in $(seq 1 40); do echo $i; sleep 0.1; done', {
      timeoutMs: 120_000,
      onStdout: () => {
        started.resolve(undefined);
      },
    });
    await started.promise;
    expect(await sandbox.pause({ hibernateAfterSeconds: 0 })).toMatchObject({ paused: { hibernated: true } });
    expect(await vmmPidsOf(suite.stateDirectory, sandbox.id)).toEqual([]);
    await sleep(1500);
    await sandbox.resume();
    await expectRightClock(sandbox);
    await expectTalking(sandbox);
    expect(await answer(sandbox, 'cat /workspace/kept; sha256sum < /dev/shm/r')).toBe(`kept\n${sum}`);
    expect((await counting).stdout.trim().split('\n').map(Number)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    await sandbox.pause({ hibernateAfterSeconds: 0 });
    await sandbox.resume();
    await expectTalking(sandbox);
  });

  test('hostd stopped, killed and started: what is paused stays so, in memory and on disk', async () => {
    const [inMemory, onDisk] = [await suite.create(), await suite.create()];
    for (const sandbox of [inMemory, onDisk]) await startTalk(sandbox);
    await inMemory.pause();
    await onDisk.pause({ hibernateAfterSeconds: 0 });
    await suite.hostd.stop();
    await suite.hostd.start();
    await suite.hostd.kill();
    await suite.hostd.start();
    for (const sandbox of [inMemory, onDisk]) {
      expect((await sandbox.refresh()).state).toBe('paused');
      await sandbox.resume();
      await expectTalking(sandbox);
      await sandbox.stop();
    }
  });

  test('it goes to disk by itself, can be forked there, and stays there', async () => {
    await using sandbox = await suite.create();
    await sandbox.exec('echo here > /workspace/file', { check: true });
    await sandbox.pause({ hibernateAfterSeconds: 1 });
    await expect.poll(async () => (await sandbox.refresh()).paused?.hibernated, { timeout: 20_000 }).toBe(true);
    await using copy = await sandbox.fork();
    expect(await answer(copy, 'cat /workspace/file')).toBe('here');
    expect((await sandbox.refresh()).state).toBe('paused');
    await sandbox.resume();
    expect(await answer(sandbox, 'cat /workspace/file')).toBe('here');
  });
});
