import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { faultPoints, onFaultPoint, type FaultPoint } from '../platform/fault-points.ts';
import type { FakeScript } from '../guest/fake-guest.ts';
import { createRequest, execRequest, settle, until, World, type HostRun } from './testing/world.ts';

let world: World;
let run: HostRun;
const never = new AbortController().signal;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
});
afterEach(() => world.remove());

async function restart(): Promise<void> {
  world.kill(run);
  run = await world.start();
}

/** hostd does something that reaches the point, and is dead there. */
async function dieAt(point: FaultPoint, act: () => Promise<unknown>): Promise<void> {
  const reached = Promise.withResolvers<undefined>();
  const clear = onFaultPoint((passed) => {
    if (passed !== point) return undefined;
    reached.resolve(undefined);
    return new Promise<never>(() => undefined);
  });
  act().catch(() => undefined);
  await reached.promise;
  world.kill(run);
  await settle();
  clear();
}

/** Everything there is outside of the database, apart from whole templates. */
async function leftovers() {
  const folders = async (name: string) => readdir(join(world.stateDirectory, name));
  const templates = await folders('templates');
  const whole = await Promise.all(
    templates.map((name) =>
      stat(join(world.stateDirectory, 'templates', name, 'manifest.json')).then(
        () => true,
        () => false,
      ),
    ),
  );
  return {
    machines: world.machines.running.length,
    networks: world.network.slots.size,
    sandboxes: await folders('sandboxes'),
    builds: await folders('builds'),
    halfTemplates: templates.filter((_, index) => whole[index] !== true),
    journal: run.store.resources.all().filter(({ kind }) => kind !== 'template').length,
  };
}

const nothing = { machines: 0, networks: 0, sandboxes: [], builds: [], halfTemplates: [], journal: 0 };

describe('hostd dies while a sandbox is created', () => {
  const points = faultPoints.filter((point) => /^create\./.test(point) && point !== 'create.running');

  test.each(points)('%s: it is undone, and the same request makes it anew', async (point) => {
    const request = createRequest({ id: 'sbx_a', env: { A: '1' } });
    await run.host.sandboxes.create(createRequest({ id: 'sbx_0' })).then(() => run.host.sandboxes.stop('sbx_0'));
    await dieAt(point, () => run.host.sandboxes.create(request, { idempotencyKey: 'key' }));
    run = await world.start();
    expect(await leftovers()).toEqual(nothing);
    await expect(run.host.sandboxes.get('sbx_a')).rejects.toMatchObject({ code: 'sandbox-not-found' });
    const again = await run.host.sandboxes.create(request, { idempotencyKey: 'key' });
    expect(again).toMatchObject({ created: true, sandbox: { id: 'sbx_a', state: 'running' } });
  });

  test('create.running: it is there, and the key answers with it', async () => {
    const request = createRequest();
    await dieAt('create.running', () => run.host.sandboxes.create(request, { idempotencyKey: 'key' }));
    run = await world.start();
    const again = await run.host.sandboxes.create(request, { idempotencyKey: 'key' });
    expect(again).toMatchObject({ created: false, sandbox: { state: 'running' } });
    expect(world.machines.running).toHaveLength(1);
  });

  test('one that only waited for room is forgotten', async () => {
    world.config = { maxSandboxes: 1 };
    await restart();
    await run.host.sandboxes.create(createRequest({ id: 'sbx_1' }));
    run.host.sandboxes.create(createRequest({ id: 'sbx_q', waitSeconds: 60 })).catch(() => undefined);
    await until(async () => (await run.host.info()).capacity.queued === 1);
    await restart();
    await expect(run.host.sandboxes.get('sbx_q')).rejects.toMatchObject({ code: 'sandbox-not-found' });
  });
});

describe('hostd dies while a template is made', () => {
  const points = faultPoints.filter((point) => point.startsWith('template.') && point !== 'template.made');

  test.each(points)('%s: nothing of it stays, and it is made anew', async (point) => {
    await dieAt(point, () => run.host.sandboxes.create(createRequest({ id: 'sbx_a' })));
    run = await world.start();
    expect(await leftovers()).toEqual(nothing);
    expect((await run.host.sandboxes.create(createRequest())).sandbox.state).toBe('running');
  });

  test('template.made: it is used', async () => {
    await dieAt('template.made', () => run.host.sandboxes.create(createRequest({ id: 'sbx_a' })));
    run = await world.start();
    expect(await leftovers()).toEqual(nothing);
    await run.host.sandboxes.create(createRequest());
    expect(run.vmm.launches.map(({ start }) => start.kind)).toEqual(['restore']);
  });
});

describe('hostd dies while a sandbox is stopped', () => {
  const points = faultPoints.filter((point) => point.startsWith('stop.'));

  test.each(points)('%s: the stop is finished with its reason', async (point) => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    await dieAt(point, () => run.host.sandboxes.stop(sandbox.id));
    run = await world.start();
    expect(await run.host.sandboxes.get(sandbox.id)).toMatchObject({ state: 'gone', end: { reason: 'stopped' } });
    expect(await leftovers()).toEqual(nothing);
  });
});

describe('a live sandbox', () => {
  test('is taken up with its environment, lease and place', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest({ env: { KEPT: 'yes' }, labels: { a: 'b' } }));
    await restart();
    expect(await run.host.sandboxes.get(sandbox.id)).toMatchObject({ state: 'running', labels: { a: 'b' } });
    expect((await run.host.info()).capacity.sandboxes).toBe(1);
    expect(world.guests.connects.at(-1)?.midStream).toBe(true);
    let env = {};
    world.guest(sandbox.id).script = async ({ spec }) => {
      env = spec.env;
      return {};
    };
    await run.host.execs.start(sandbox.id, execRequest({ argv: ['env'] }));
    await until(() => Object.keys(env).length > 0);
    expect(env).toEqual({ KEPT: 'yes' });
    const other = await run.host.sandboxes.create(createRequest());
    expect(world.network.slots.size).toBe(2);
    await run.host.sandboxes.stop(sandbox.id);
    await run.host.sandboxes.stop(other.sandbox.id);
    expect(await leftovers()).toEqual(nothing);
  });

  test('whose machine ended meanwhile leaves a tombstone that says how', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    world.kill(run);
    world.vm(sandbox.id).end({ cause: 'guest-panic', cpuSeconds: 7, peakMemoryMiB: 99 });
    run = await world.start();
    expect(await run.host.sandboxes.get(sandbox.id)).toMatchObject({
      end: { reason: 'guest-panicked' },
      usage: { cpuSeconds: 7, peakMemoryMiB: 99 },
    });
    expect(await leftovers()).toEqual(nothing);
  });

  test('of which nothing is known any more is lost', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    world.kill(run);
    world.machines.byDirectory.clear();
    run = await world.start();
    expect((await run.host.sandboxes.get(sandbox.id)).end?.reason).toBe('lost');
    expect(await leftovers()).toEqual(nothing);
  });

  test('whose agent does not answer is ended, and does not keep others', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    const { sandbox: other } = await run.host.sandboxes.create(createRequest());
    world.kill(run);
    world.guest(sandbox.id).failNext('connect', new Error('no answer'));
    run = await world.start();
    expect((await run.host.sandboxes.get(sandbox.id)).end?.reason).toBe('lost');
    expect((await run.host.sandboxes.get(other.id)).state).toBe('running');
  });

  test('did not survive a reboot of the host', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    world.kill(run);
    world.machines.byDirectory.clear();
    world.network.slots.clear();
    world.bootId = 'boot-2';
    run = await world.start();
    expect(await run.host.sandboxes.get(sandbox.id)).toMatchObject({ state: 'gone', end: { reason: 'host-rebooted' } });
    expect(await leftovers()).toEqual(nothing);
  });

  test('outlives a stop of hostd that was asked for', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    await run.host.stop();
    run.store.close();
    expect(world.vm(sandbox.id).released).toBe(true);
    run = await world.start();
    expect((await run.host.sandboxes.get(sandbox.id)).state).toBe('running');
  });
});

describe('an exec', () => {
  async function output(sandboxId: string, execId: string): Promise<string> {
    let text = '';
    for await (const { channel, bytes } of run.host.execs.output(sandboxId, execId, 0, true, never)) {
      text += `${channel === 'stdout' ? '' : '!'}${bytes.toString()}`;
    }
    return text;
  }

  const talker: FakeScript = async (control) => {
    for (let count = 0; count < 6; count += 1) {
      await control.stdout(`o${String(count)} `);
      await control.stderr(`e${String(count)} `);
      await control.nextSignal();
    }
    return { exitCode: 4 };
  };
  const whole = [0, 1, 2, 3, 4, 5].map((count) => `o${String(count)} !e${String(count)} `).join('');

  test('goes on over a restart with all of its output', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    world.guest(sandbox.id).script = talker;
    const { exec } = await run.host.execs.start(sandbox.id, execRequest({ argv: ['talk'] }));
    for (let count = 0; count < 6; count += 1) {
      const bytes = (count + 1) * 6;
      if (count % 2 === 1) {
        await restart();
      }
      await until(async () => (await run.host.execs.get(sandbox.id, exec.id)).outputBytes === bytes);
      await run.host.execs.signal(sandbox.id, exec.id, 'SIGUSR1');
    }
    expect(await output(sandbox.id, exec.id)).toBe(whole);
    expect(await run.host.execs.get(sandbox.id, exec.id)).toMatchObject({ exitCode: 4, outputBytes: 36 });
  });

  test.each(faultPoints.filter((point) => /^exec\.(index|output|before|result)/.test(point)))(
    '%s: nothing of the output is lost or doubled, the result is kept',
    async (point) => {
      const { sandbox } = await run.host.sandboxes.create(createRequest());
      world.guest(sandbox.id).script = async (control) => {
        await control.stdout('one ');
        await control.stderr('two ');
        return { exitCode: 5 };
      };
      await dieAt(point, () => run.host.execs.start(sandbox.id, execRequest({ id: 'exe_1', argv: ['x'] })));
      run = await world.start();
      expect(await output(sandbox.id, 'exe_1')).toBe('one !two ');
      expect(await run.host.execs.get(sandbox.id, 'exe_1')).toMatchObject({ state: 'ended', exitCode: 5 });
    },
  );

  test('takes its input on from where it stood, and its end is told again', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    let ends = 0;
    world.guest(sandbox.id).script = async (control) => {
      for (let input = await control.readInput(); input !== null; input = await control.readInput()) {
        await control.stdout(input);
      }
      ends += 1;
      await control.nextSignal();
      return {};
    };
    const { exec } = await run.host.execs.start(sandbox.id, execRequest({ argv: ['cat'], stdin: true }));
    const send = (offset: number, text: string, end: boolean) =>
      run.host.execs.input(sandbox.id, exec.id, offset, Readable.from([Buffer.from(text)]), end, never);
    await send(0, 'before ', false);
    await restart();
    await expect(send(20, 'x', false)).rejects.toMatchObject({ details: { expectedOffset: 7 } });
    await send(0, 'before after', true);
    await until(() => ends === 1);
    // The word of the end may not have reached the guest: the next hostd says it again.
    const process = [...world.guest(sandbox.id).processes.values()][0];
    let told = 0;
    if (process !== undefined) {
      const endInput = process.endInput.bind(process);
      process.endInput = () => {
        told += 1;
        endInput();
      };
    }
    await restart();
    expect(told).toBe(1);
    await expect(send(12, 'more', false)).rejects.toMatchObject({ code: 'exec-input-closed' });
    await run.host.execs.signal(sandbox.id, exec.id, 'SIGTERM');
    expect(await output(sandbox.id, exec.id)).toBe('before after');
  });

  test('gets no stream id that one of an earlier hostd had', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    for (let count = 0; count < 2; count += 1) {
      const { exec } = await run.host.execs.start(sandbox.id, execRequest({ argv: ['x'] }));
      await until(async () => (await run.host.execs.get(sandbox.id, exec.id)).state === 'ended');
    }
    await restart();
    const { exec } = await run.host.execs.start(sandbox.id, execRequest({ argv: ['x'] }));
    const ids = run.store.execs.of(sandbox.id, 10).map(({ streamId }) => streamId);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    await until(async () => (await run.host.execs.get(sandbox.id, exec.id)).state === 'ended');
  });

  test('whose start never reached the guest is started by the request that comes again', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    const request = execRequest({ id: 'exe_1', argv: ['x'] });
    await dieAt('exec.journaled', () => run.host.execs.start(sandbox.id, request));
    run = await world.start();
    await expect(run.host.execs.get(sandbox.id, 'exe_1')).rejects.toMatchObject({ code: 'exec-not-found' });
    expect((await run.host.execs.start(sandbox.id, request)).created).toBe(true);
  });

  test('started before hostd died is the same for the request that comes again', async () => {
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    const request = execRequest({ id: 'exe_1', argv: ['x'] });
    await dieAt('exec.after-start', () => run.host.execs.start(sandbox.id, request));
    run = await world.start();
    expect((await run.host.execs.start(sandbox.id, request)).created).toBe(false);
    await until(async () => (await run.host.execs.get(sandbox.id, 'exe_1')).state === 'ended');
  });

  test('that was truncated before is so after, and its end is seen', async () => {
    world.config = { maxOutputBytesPerExec: 8 };
    await restart();
    const { sandbox } = await run.host.sandboxes.create(createRequest());
    world.guest(sandbox.id).script = talker;
    const { exec } = await run.host.execs.start(sandbox.id, execRequest({ argv: ['talk'] }));
    const next = () => run.host.execs.signal(sandbox.id, exec.id, 'SIGUSR1');
    await next();
    await until(async () => (await run.host.execs.get(sandbox.id, exec.id)).truncated);
    await restart();
    for (let count = 0; count < 5; count += 1) await next();
    await until(async () => (await run.host.execs.get(sandbox.id, exec.id)).state === 'ended');
    expect(await run.host.execs.get(sandbox.id, exec.id)).toMatchObject({
      outputBytes: 8,
      truncated: true,
      failure: null,
      exitCode: 4,
    });
    expect(await output(sandbox.id, exec.id)).toBe('o0 !e0 o1');
  });
});

describe('what nobody knows', () => {
  test('folders, networks and machines of no sandbox are removed', async () => {
    await run.host.stop();
    run.store.close();
    await mkdir(join(world.stateDirectory, 'sandboxes/sbx_stray/vm'), { recursive: true });
    await mkdir(join(world.stateDirectory, 'builds/stray'), { recursive: true });
    await mkdir(join(world.stateDirectory, 'templates/stray'), { recursive: true });
    await writeFile(join(world.stateDirectory, 'templates/stray/memory'), 'x');
    world.network.slots.set(9, { uid: 1, egress: { policy: { mode: 'open', rules: [] } }, halfMade: true });
    run = await world.start();
    expect(await leftovers()).toEqual(nothing);
  });

  test('the network of a live sandbox stays while another goes', async () => {
    await run.host.sandboxes.create(createRequest());
    world.network.slots.set(40, { uid: 1, egress: { policy: { mode: 'open', rules: [] } }, halfMade: false });
    await restart();
    expect(world.network.slots.size).toBe(1);
    expect(world.network.slots.has(40)).toBe(false);
  });
});
