import { Readable } from 'node:stream';
import { join } from 'node:path';
import { access, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CreateExecInput } from '../../contract/exec.ts';
import { createRequest, execRequest, settle, until, World, type HostRun } from '../testing/world.ts';
import type { FakeProcessControl, FakeScript } from '../../guest/fake-guest.ts';

let world: World;
let run: HostRun;
let sandboxId: string;
const never = new AbortController().signal;

beforeEach(async () => {
  world = await World.create({ maxExecsPerSandbox: 3, maxFollowersPerSandbox: 2 });
  run = await world.start();
  sandboxId = (await run.host.sandboxes.create(createRequest({ env: { SHARED: 'sandbox', BOTH: 'sandbox' } }))).sandbox
    .id;
});
afterEach(() => world.remove());

async function start(input: CreateExecInput, script?: FakeScript) {
  if (script !== undefined) world.guest(sandboxId).script = script;
  return run.host.execs.start(sandboxId, execRequest(input));
}

async function ended(execId: string) {
  await until(async () => (await run.host.execs.get(sandboxId, execId)).state === 'ended');
  return run.host.execs.get(sandboxId, execId);
}

async function output(execId: string, from = 0, follow = true): Promise<string> {
  let text = '';
  for await (const { channel, bytes } of run.host.execs.output(sandboxId, execId, from, follow, never)) {
    text += `${channel === 'stdout' ? 'o' : 'e'}:${bytes.toString()} `;
  }
  return text.trim();
}

const sleeper: FakeScript = async (control) => ({ exitCode: null, signalNumber: await control.nextSignal() });

describe('a run', () => {
  test('its output and result are kept', async () => {
    const { exec, created } = await start({ argv: ['make', 'all tests'] }, async (control) => {
      await control.stdout('building');
      await control.stderr('warning');
      return { exitCode: 3, userCpuMs: 7 };
    });
    expect(created).toBe(true);
    expect(await output(exec.id)).toBe('o:building e:warning');
    expect(await ended(exec.id)).toMatchObject({
      command: `make 'all tests'`,
      exitCode: 3,
      signal: null,
      failure: null,
      outputBytes: 15,
      truncated: false,
      usage: { userCpuMs: 7 },
    });
    expect(await output(exec.id, 8, false)).toBe('e:warning');
  });

  test('a signal is named and numbered as a shell does', async () => {
    const { exec } = await start({ argv: ['sleep', '9'] }, sleeper);
    await run.host.execs.signal(sandboxId, exec.id, 'SIGTERM');
    expect(await ended(exec.id)).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
    await expect(run.host.execs.signal(sandboxId, exec.id, 'SIGTERM')).rejects.toMatchObject({ code: 'exec-ended' });
  });

  test('its environment is the sandbox’s with its own over it, and is stored nowhere', async () => {
    let seen: FakeProcessControl['spec'] | undefined;
    const { exec } = await start(
      { argv: ['env'], env: { BOTH: 'exec', TOKEN: 'top-secret-value' } },
      async (control) => {
        seen = control.spec;
        return {};
      },
    );
    await ended(exec.id);
    expect(seen?.env).toEqual({ SHARED: 'sandbox', BOTH: 'exec', TOKEN: 'top-secret-value' });
    run.store.close();
    const stored = await readFile(join(world.stateDirectory, 'state.db'));
    expect(stored.includes('top-secret-value')).toBe(false);
  });

  test('the guest is told to forget it only after its result is stored', async () => {
    const { exec } = await start({ argv: ['true'] });
    await ended(exec.id);
    await until(() => world.guest(sandboxId).processes.size === 0);
  });

  test('output beyond the cap is counted as truncated', async () => {
    world.config = { maxOutputBytesPerExec: 5 };
    await run.host.stop();
    run.store.close();
    run = await world.start();
    const { exec } = await start({ argv: ['yes'] }, async (control) => {
      for (let count = 0; count < 10; count += 1) await control.stdout('yes\n');
      return {};
    });
    expect(await ended(exec.id)).toMatchObject({ outputBytes: 5, truncated: true, exitCode: 0 });
    expect(await output(exec.id)).toBe('o:yes\ny');
  });

  test('a slow follower does not hold up the guest beyond its ring', async () => {
    const block = Buffer.alloc(256 * 1024, 'a');
    const { exec } = await start({ argv: ['cat'] }, async (control) => {
      for (let count = 0; count < 40; count += 1) await control.stdout(block);
      return {};
    });
    const reader = run.host.execs.output(sandboxId, exec.id, 0, true, never)[Symbol.asyncIterator]();
    await reader.next(); // and reads no further
    expect((await ended(exec.id)).outputBytes).toBe(40 * block.length);
    await reader.return?.();
  });
});

describe('starting', () => {
  test('the same id with the same request is the same exec', async () => {
    const first = await start({ id: 'exe_1', argv: ['sleep'] }, sleeper);
    const second = await start({ id: 'exe_1', argv: ['sleep'] });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.exec.id).toBe('exe_1');
    expect(world.guest(sandboxId).processes.size).toBe(1);
    await expect(start({ id: 'exe_1', argv: ['other'] })).rejects.toMatchObject({ code: 'exec-id-taken' });
    await expect(start({ id: 'exe_1', argv: ['sleep'], env: { A: '1' } })).rejects.toMatchObject({
      code: 'exec-id-taken',
    });
  });

  test('two at once with one id start one process', async () => {
    world.guest(sandboxId).script = sleeper;
    const both = await Promise.all([start({ id: 'exe_1', argv: ['x'] }), start({ id: 'exe_1', argv: ['x'] })]);
    expect(both.filter(({ created }) => created)).toHaveLength(1);
    expect(world.guest(sandboxId).processes.size).toBe(1);
  });

  test('a sandbox runs only so many at once, however they come', async () => {
    world.guest(sandboxId).script = sleeper;
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => start({ argv: ['x'] })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(results[4]).toMatchObject({ reason: { code: 'too-many-execs', details: { limit: 3 } } });
  });

  test('one that the guest’s channel refuses leaves no trace', async () => {
    const guest = world.guest(sandboxId);
    guest.script = sleeper;
    guest.drop('carrier-gone');
    await expect(start({ id: 'exe_1', argv: ['x'] })).rejects.toThrow();
    await expect(run.host.execs.get(sandboxId, 'exe_1')).rejects.toMatchObject({ code: 'exec-not-found' });
  });

  test('an exec that is not there', async () => {
    await expect(run.host.execs.get(sandboxId, 'exe_x')).rejects.toMatchObject({ code: 'exec-not-found' });
    expect(() => run.host.execs.output(sandboxId, 'exe_x', 0, false, never)).toThrow(
      expect.objectContaining({ code: 'exec-not-found' }),
    );
    await expect(run.host.execs.list('sbx_x')).rejects.toMatchObject({ code: 'sandbox-not-found' });
  });

  test('list has them in the order they were started', async () => {
    for (const id of ['exe_c', 'exe_a', 'exe_b']) await ended((await start({ id, argv: ['x'] })).exec.id);
    expect((await run.host.execs.list(sandboxId)).map(({ id }) => id)).toEqual(['exe_c', 'exe_a', 'exe_b']);
  });
});

describe('followers', () => {
  test('only so many at once', async () => {
    const { exec } = await start({ argv: ['sleep'] }, sleeper);
    const leaving = new AbortController();
    const follow = () => run.host.execs.output(sandboxId, exec.id, 0, true, leaving.signal)[Symbol.asyncIterator]();
    const waiting = [follow().next(), follow().next()];
    await settle();
    await expect(follow().next()).rejects.toMatchObject({ code: 'too-many-streams' });
    leaving.abort();
    await Promise.all(waiting);
    await run.host.execs.signal(sandboxId, exec.id, 'SIGKILL');
    expect(await output(exec.id)).toBe('');
  });

  test('the result is there when the followed output has ended', async () => {
    const { exec } = await start({ argv: ['x'] }, async (control) => {
      await control.stdout('x');
      return { exitCode: 9 };
    });
    await output(exec.id);
    expect((await run.host.execs.get(sandboxId, exec.id)).exitCode).toBe(9);
  });

  test('output stays readable after the sandbox is stopped', async () => {
    const { exec } = await start({ argv: ['x'] }, async (control) => {
      await control.stdout('kept');
      return {};
    });
    await ended(exec.id);
    await run.host.sandboxes.stop(sandboxId);
    expect(await output(exec.id)).toBe('o:kept');
    await access(join(world.stateDirectory, 'sandboxes', sandboxId, 'execs'));
  });

  test('a stop ends the running ones and lets their followers go', async () => {
    const { exec } = await start({ argv: ['x'] }, async (control) => {
      await control.stdout('so far');
      await control.nextSignal();
      return {};
    });
    const following = output(exec.id);
    await until(async () => (await run.host.execs.get(sandboxId, exec.id)).outputBytes === 6);
    await run.host.sandboxes.stop(sandboxId);
    expect(await following).toBe('o:so far');
    expect(await run.host.execs.get(sandboxId, exec.id)).toMatchObject({
      state: 'ended',
      exitCode: null,
      failure: { code: 'sandbox-ended' },
      outputBytes: 6,
    });
  });
});

describe('input', () => {
  const cat: FakeScript = async (control) => {
    for (let input = await control.readInput(); input !== null; input = await control.readInput()) {
      await control.stdout(input);
    }
    return {};
  };
  const send = (execId: string, offset: number, text: string, end = false, signal = never) =>
    run.host.execs.input(sandboxId, execId, offset, Readable.from([Buffer.from(text)]), end, signal);

  test('it arrives in order, and what was sent before is skipped', async () => {
    const { exec } = await start({ argv: ['cat'], stdin: true }, cat);
    expect(await send(exec.id, 0, 'hello ')).toEqual({ consumedBytes: 6 });
    expect(await send(exec.id, 0, 'hello wor')).toEqual({ consumedBytes: 9 });
    expect(await send(exec.id, 6, 'wor')).toEqual({ consumedBytes: 9 });
    expect(await send(exec.id, 9, 'ld', true)).toEqual({ consumedBytes: 11 });
    expect((await output(exec.id)).replaceAll('o:', '').replaceAll(' ', '')).toBe('helloworld');
    await expect(send(exec.id, 11, '', true)).rejects.toMatchObject({ code: 'exec-ended' });
  });

  test('a gap is refused with the offset to go on from', async () => {
    const { exec } = await start({ argv: ['cat'], stdin: true }, cat);
    await send(exec.id, 0, 'abc');
    await expect(send(exec.id, 5, 'x')).rejects.toMatchObject({
      code: 'exec-input-offset',
      details: { expectedOffset: 3 },
    });
  });

  test('an exec without stdin, or behind its end, takes none', async () => {
    const { exec } = await start({ argv: ['cat'] }, sleeper);
    await expect(send(exec.id, 0, 'x')).rejects.toMatchObject({ code: 'exec-input-closed' });
    const { exec: other } = await start({ argv: ['cat'], stdin: true }, async (control) => {
      while ((await control.readInput()) !== null);
      await control.nextSignal();
      return {};
    });
    await send(other.id, 0, 'x', true);
    expect(await send(other.id, 1, '', true)).toEqual({ consumedBytes: 1 });
    await expect(send(other.id, 1, 'y')).rejects.toMatchObject({ code: 'exec-input-closed' });
  });

  test('a program that never reads holds up only its sender, who can leave', async () => {
    const { exec } = await start({ argv: ['sleep'], stdin: true }, sleeper);
    const leaving = new AbortController();
    const sending = expect(send(exec.id, 0, 'unread', false, leaving.signal)).rejects.toMatchObject({
      code: 'aborted',
    });
    await settle();
    leaving.abort();
    await sending;
    await run.host.execs.signal(sandboxId, exec.id, 'SIGTERM');
    await ended(exec.id);
  });

  test('a program that ends without reading its input ends the sending', async () => {
    const { exec } = await start({ argv: ['sleep'], stdin: true }, sleeper);
    const sending = expect(send(exec.id, 0, 'unread')).rejects.toMatchObject({ code: 'exec-ended' });
    await settle();
    await run.host.execs.signal(sandboxId, exec.id, 'SIGTERM');
    await sending;
  });

  test('input that nobody reads is not taken without bound', async () => {
    const { exec } = await start({ argv: ['sleep'], stdin: true }, sleeper);
    let pulled = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          pulled += 1;
          yield Buffer.alloc(64 * 1024);
        }
      })(),
    );
    const leaving = new AbortController();
    const sending = run.host.execs.input(sandboxId, exec.id, 0, endless, false, leaving.signal);
    const failed = expect(sending).rejects.toMatchObject({ code: 'aborted' });
    await settle();
    await settle();
    expect(pulled).toBeLessThan(60);
    leaving.abort();
    await failed;
  });
});

test('a terminal can be resized, anything else not', async () => {
  const { exec } = await start({ argv: ['sh'], pty: { rows: 24, cols: 80 } }, sleeper);
  await run.host.execs.resize(sandboxId, exec.id, 50, 132);
  expect([...world.guest(sandboxId).processes.values()][0]?.size).toEqual({ rows: 50, cols: 132 });
  const { exec: plain } = await start({ argv: ['sh'] }, sleeper);
  await expect(run.host.execs.resize(sandboxId, plain.id, 1, 1)).rejects.toMatchObject({ code: 'invalid-request' });
});
