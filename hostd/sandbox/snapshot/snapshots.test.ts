import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { onFaultPoint } from '../../platform/fault-points.ts';
import { createRequest, execRequest, until, World, type HostRun } from '../testing/world.ts';

let world: World;
let run: HostRun;
let id: string;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
  const { sandbox } = await run.host.sandboxes.create(createRequest({ memoryMiB: 1024, egress: { mode: 'none' } }));
  id = sandbox.id;
});
afterEach(() => world.remove());

const take = (name = 'prepared', retentionDays?: number) =>
  run.host.snapshots.create(id, { name, ...(retentionDays === undefined ? {} : { retentionDays }) });
const create = (input: object = {}) => run.host.sandboxes.create(createRequest({ snapshot: 'prepared', ...input }));
const folders = () => readdir(join(world.stateDirectory, 'snapshots'));

async function restart(bootId = world.bootId): Promise<void> {
  await run.host.stop();
  run.store.close();
  world.bootId = bootId;
  run = await world.start();
}

test('it records what it was taken of and with, and its files are private', async () => {
  const info = await take();
  expect(info).toMatchObject({
    name: 'prepared',
    sandboxId: id,
    image: 'default',
    memoryMiB: 1024,
    egress: { mode: 'none', allow: [] },
    expiresAt: null,
    hasEnvValues: false,
    restorable: { ok: true },
    usedBy: [],
    vmm: { name: 'qemu', machine: 'microvm', tier: 'emulated', agentProtocol: 1 },
  });
  expect(info.vmm).not.toHaveProperty('restoreKey');
  const [folder = ''] = await folders();
  const directory = join(world.stateDirectory, 'snapshots', folder);
  expect((await stat(directory)).mode & 0o077).toBe(0);
  for (const file of ['manifest.json', 'verified.json']) {
    expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
  }
  expect(await run.host.snapshots.list()).toEqual([info]);
  expect(world.vm(id).captureOptions.at(-1)).toMatchObject({ durable: true, wake: true });
});

test('values of the environment are told, wherever they were given', async () => {
  await run.host.execs.start(id, execRequest({ shell: 'true', env: { TOKEN: 'x' } }));
  expect((await take()).hasEnvValues).toBe(true);
  const { sandbox } = await create();
  const again = await run.host.snapshots.create(sandbox.id, { name: 'again' });
  expect(again.hasEnvValues).toBe(true);
});

test('a name is taken once', async () => {
  const both = await Promise.allSettled([take(), take()]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(take()).rejects.toMatchObject({ code: 'snapshot-exists' });
  expect(await folders()).toHaveLength(1);
});

test('a sandbox created from it has its shape, image and egress, and a life of its own', async () => {
  await take();
  const { sandbox } = await create({ labels: { copy: '1' } });
  expect(sandbox).toMatchObject({
    state: 'running',
    snapshot: 'prepared',
    image: 'default',
    memoryMiB: 1024,
    egress: { mode: 'none', allow: [], revision: 1 },
    labels: { copy: '1' },
    forkedFrom: null,
    generation: 2,
  });
  expect(world.guest(sandbox.id).identities.at(-1)).toMatchObject({ copied: true, generation: 2 });
  expect((await create({ egress: { mode: 'open' } })).sandbox.egress.mode).toBe('open');
});

test('its policy and the addresses that names were answered with are in it', async () => {
  const { sandbox: ruled } = await run.host.sandboxes.create(createRequest({ egress: ['ssh.example.com:22'] }));
  const pin = {
    address: '198.51.100.7',
    port: 22,
    transport: 'tcp',
    name: 'ssh.example.com',
    remainingMs: 60_000,
  } as const;
  world.network.pins.set(ruled.id, { version: 1, pins: [pin] });
  const info = await run.host.snapshots.create(ruled.id, { name: 'prepared' });
  expect(info.egress).toEqual({ mode: 'enforce', allow: ['ssh.example.com:22'] });
  await restart();
  const { sandbox: same } = await create();
  expect(same.egress).toEqual({ ...info.egress, revision: 1 });
  expect(world.network.pins.get(same.id)?.pins).toEqual([pin]);
  const { sandbox: other } = await create({ egress: { mode: 'open' } });
  expect(world.network.pins.get(other.id)).toBeUndefined();
  // An address of weeks ago may be somebody else's.
  for (const [passedMs, remainingMs] of [
    [20_000, 40_000],
    [14 * 86_400_000, 0],
  ] as const) {
    world.clock.advance(passedMs);
    const { sandbox: later } = await create();
    expect(world.network.pins.get(later.id)?.pins).toEqual([{ ...pin, remainingMs }]);
  }
});

test('after a restart of hostd it is there, and is not read again', async () => {
  await take();
  await restart();
  await create();
  expect((await run.host.snapshots.get('prepared')).usedBy).toHaveLength(1);
});

describe('damage', () => {
  async function damage(): Promise<void> {
    const [folder = ''] = await folders();
    await writeFile(join(world.stateDirectory, 'snapshots', folder, 'devices'), 'FAKE');
  }

  test('is noticed before a restore', async () => {
    await take();
    await damage();
    await expect(create()).rejects.toMatchObject({ code: 'snapshot-damaged' });
    expect(world.machines.running).toHaveLength(1);
  });

  test('is looked for once after the host was restarted', async () => {
    await take();
    await damage();
    await restart('boot-2');
    await expect(create()).rejects.toMatchObject({ code: 'snapshot-damaged' });
  });
});

describe('removal', () => {
  test('is refused while sandboxes stand on it, with their names', async () => {
    await take();
    const { sandbox } = await create();
    await expect(run.host.snapshots.remove('prepared')).rejects.toMatchObject({
      code: 'snapshot-in-use',
      details: { usedBy: [sandbox.id] },
    });
    await run.host.sandboxes.stop(sandbox.id);
    await run.host.snapshots.remove('prepared');
    expect(await folders()).toEqual([]);
    await expect(run.host.snapshots.get('prepared')).rejects.toMatchObject({ code: 'snapshot-not-found' });
    await expect(create()).rejects.toMatchObject({ code: 'snapshot-not-found' });
  });

  test('comes by itself when its days are over', async () => {
    await take('prepared', 1);
    world.clock.advance(86_400_000 - 60_000);
    expect(await folders()).toHaveLength(1);
    world.clock.advance(120_000);
    await until(async () => (await folders()).length === 0);
  });
});

describe('other hosts and builds', () => {
  test('one that can not be restored is refused with the reason', async () => {
    await take();
    world.restoreKey = 'another series';
    await restart();
    expect((await run.host.snapshots.get('prepared')).restorable.ok).toBe(false);
    await expect(create()).rejects.toMatchObject({ code: 'snapshot-not-restorable', details: { name: 'prepared' } });
  });

  test('another build of the series is accepted after one restore has worked', async () => {
    await take();
    world.restoreKey = 'next build';
    await restart();
    run.vmm.compatibilityOf = () => ({ restorable: 'probe', reason: 'another build' });
    run.vmm.failNext('started', new OffshootError('boot-failed'));
    await expect(create()).rejects.toMatchObject({ code: 'snapshot-not-restorable' });
    await create();
    expect((await run.host.snapshots.get('prepared')).restorable).toMatchObject({
      ok: true,
      reason: expect.stringContaining('has worked') as string,
    });
  });
});

test('a save that is cut off leaves nothing', async () => {
  for (const point of ['snapshot.after-capture', 'snapshot.before-manifest'] as const) {
    const reached = Promise.withResolvers<undefined>();
    const restore = onFaultPoint((passed) => {
      if (passed !== point) return undefined;
      reached.resolve(undefined);
      return new Promise(() => undefined);
    });
    take().catch(() => undefined);
    await reached.promise;
    world.kill(run);
    restore();
    run = await world.start();
    expect(await folders()).toEqual([]);
    expect(await run.host.snapshots.list()).toEqual([]);
    expect((await run.host.sandboxes.get(id)).state).toBe('running');
  }
  await take();
});

test('a paused sandbox stays paused', async () => {
  await run.host.sandboxes.pause(id);
  await take();
  expect((await run.host.sandboxes.get(id)).state).toBe('paused');
  await create();
});

describe('a manifest that is not as it was written', () => {
  const manifestOf = async () => join(world.stateDirectory, 'snapshots', (await folders())[0] ?? '', 'manifest.json');
  const rewritten = async (change: (manifest: Record<string, unknown>) => void) => {
    const manifest = JSON.parse(await readFile(await manifestOf(), 'utf8')) as Record<string, unknown>;
    change(manifest);
    return JSON.stringify(manifest);
  };

  test.each([
    ['is cut off', () => Promise.resolve('{"format":1,')],
    ['is of a later format', () => rewritten((manifest) => (manifest['format'] = 2))],
    ['checks nothing', () => rewritten((manifest) => (manifest['files'] = []))],
    ['is that of another', () => rewritten((manifest) => (manifest['id'] = 'snapshot-other'))],
  ])('and %s is not used, and nothing is thrown away for it', async (_how, damaged) => {
    await take();
    const whole = await readFile(await manifestOf(), 'utf8');
    await writeFile(await manifestOf(), await damaged());
    await restart();
    await expect(create()).rejects.toMatchObject({ code: 'snapshot-not-found' });
    await writeFile(await manifestOf(), whole);
    await restart();
    expect((await create()).sandbox.state).toBe('running');
  });
});

test('what was being removed when hostd ended is gone at its next start', async () => {
  await take();
  const [folder = ''] = await folders();
  const from = join(world.stateDirectory, 'snapshots', folder);
  await rename(from, `${from}.leaving`);
  await restart();
  expect(await folders()).toEqual([]);
});

/** The image's files as they would be on disk. */
async function giveImageFiles(): Promise<void> {
  const image = await world.images.get('default');
  const directory = join(world.stateDirectory, 'image-files');
  await mkdir(directory);
  for (const part of ['kernel', 'initramfs'] as const)
    await writeFile(join(directory, image.manifest.files[part]), part);
  Object.assign(image, { directory });
}

test('the disk of a copy can be booted when its image is gone', async () => {
  await giveImageFiles();
  await take();
  await world.images.remove('default');
  const { sandbox } = await create();
  await run.host.snapshots.create(sandbox.id, { name: 'later' });
  const booted = await run.host.sandboxes.create(createRequest({ snapshot: 'later', bootDisk: true }));
  expect(booted.sandbox.state).toBe('running');
});

test.each(['memory', 'devices'])('one whose %s is damaged is not restored; its disk can be booted', async (file) => {
  await giveImageFiles();
  await take();
  const [folder = ''] = await folders();
  await writeFile(join(world.stateDirectory, 'snapshots', folder, file), 'evil');
  await expect(create()).rejects.toMatchObject({ code: 'snapshot-damaged' });
  expect((await create({ bootDisk: true })).sandbox.state).toBe('running');
});

test.each(['disk.qcow2', 'machine.json'])('one whose %s is gone is not booted either', async (file) => {
  await take();
  const [folder = ''] = await folders();
  await rm(join(world.stateDirectory, 'snapshots', folder, file));
  await expect(create({ bootDisk: true })).rejects.toMatchObject({
    code: 'snapshot-damaged',
    message: `The snapshot prepared is damaged: ${file} is missing.`,
  });
});
