import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { FakeVmm } from '../../vmm/fake-vmm.ts';
import { createRequest, settle, until, World, type HostRun } from '../testing/world.ts';

let world: World;
let run: HostRun;

beforeEach(async () => {
  world = await World.create({ maxTemplates: 2 });
  run = await world.start();
});
afterEach(() => world.remove());

const create = (input = {}) => run.host.sandboxes.create(createRequest(input));
const starts = () => run.vmm.launches.map(({ start }) => start.kind);
const folders = () => readdir(join(world.stateDirectory, 'templates'));

async function restart(): Promise<void> {
  await run.host.stop();
  run.store.close();
  run = await world.start();
}

describe('making', () => {
  test('the first sandbox of a shape has its template made, the others restore it', async () => {
    await create();
    await create({ memoryMiB: 400 });
    expect(starts()).toEqual(['cold', 'restore', 'restore']);
    const [cold] = run.vmm.launches;
    expect(cold).toMatchObject({
      shape: { cpus: 1, memoryMiB: 512, diskMiB: 8192 },
      start: {
        kernel: '/images/default/vmlinux',
        baseDisk: { path: '/images/default/root.img', format: 'raw' },
        kernelArguments: [
          'quiet',
          'offshoot.address=10.83.255.254/30',
          'offshoot.gateway=10.83.255.253',
          'offshoot.mtu=1500',
        ],
      },
    });
    expect(await readdir(join(world.stateDirectory, 'builds'))).toEqual([]);
  });

  test('an image with the agent of another hostd is never started; templates over it go', async () => {
    await create();
    const [before] = await folders();
    world.images.add('default', { agentBuild: 'older' });
    await create();
    expect(world.images.images.get('default')?.manifest.agentBuild).toBe('agent');
    expect((await run.host.images.get('default')).templates).toHaveLength(1);
    for (const { id } of await run.host.sandboxes.list({ all: false, labels: {} })) await run.host.sandboxes.stop(id);
    await until(async () => (await folders()).length === 1);
    expect(await folders()).not.toContain(before);
  });

  test('two creates at once share one making; another shape has its own', async () => {
    await Promise.all([create(), create(), create({ memoryMiB: 1024 })]);
    expect(starts().filter((kind) => kind === 'cold')).toHaveLength(2);
    expect(world.machines.running).toHaveLength(3);
  });

  test('a boot that fails is tried exactly once more', async () => {
    run.vmm.failNext('started');
    await create();
    expect(starts()).toEqual(['cold', 'cold', 'restore']);
    run.vmm.failNext('started');
    run.vmm.failNext('started');
    await expect(create({ memoryMiB: 1024 })).rejects.toMatchObject({ code: 'boot-failed' });
    expect(starts().slice(3)).toEqual(['cold', 'cold']);
    expect(await folders()).toHaveLength(1);
    expect((await create({ memoryMiB: 1024 })).created).toBe(true);
  });

  test('a boot without a sign of life is given up and tried again', async () => {
    const guests = world.guests;
    const connect = guests.connect.bind(guests);
    let hung = 0;
    guests.connect = (options) => {
      if (!options.socketPath.includes('/builds/') || hung > 0) return connect(options);
      hung += 1;
      return new Promise(() => undefined);
    };
    const creating = create();
    await until(() => hung === 1);
    for (let second = 0; second < 31; second += 1) {
      await settle();
      world.clock.advance(1000);
    }
    expect((await creating).sandbox.state).toBe('running');
    expect(starts()).toEqual(['cold', 'cold', 'restore']);
  });

  test('a full disk is no reason to boot again', async () => {
    run.vmm.failNext('started', new OffshootError('host-disk-full'));
    await expect(create()).rejects.toMatchObject({ code: 'host-disk-full' });
    expect(starts()).toEqual(['cold']);
  });

  test('where KVM boots nothing, emulation takes over for good', async () => {
    const emulated = new FakeVmm({ machines: world.machines, features: { restoreKey: 'emulated' } });
    run.vmm.emulatedFallback = emulated;
    run.vmm.failNext('started');
    run.vmm.failNext('started');
    const { sandbox } = await create();
    expect(sandbox.isolation.tier).toBe('emulated');
    await create();
    expect(starts()).toEqual(['cold', 'cold']);
    expect(emulated.launches.map(({ start }) => start.kind)).toEqual(['cold', 'restore', 'restore']);
  });
});

test('a template over an image that was built anew meanwhile is not used', async () => {
  const hold = run.vmm.holdNext('freeze');
  const creating = expect(create()).rejects.toMatchObject({ code: 'boot-failed' });
  await hold.reached;
  world.images.add('default');
  hold.release();
  await creating;
  expect(await folders()).toEqual([]);
  expect((await create()).created).toBe(true);
});

test('hostd stops while a template is made: the machine is gone with it', async () => {
  const guests = world.guests;
  const connect = guests.connect.bind(guests);
  let waiting = false;
  guests.connect = (options) => {
    if (!options.socketPath.includes('/builds/')) return connect(options);
    waiting = true;
    return new Promise(() => undefined);
  };
  const building = run.host.images
    .build(
      {
        name: 'default',
        recipe: 'default',
        include: [],
        extraCaCertificates: [],
        hostCaBundle: false,
        hostPackageConfig: false,
        rebuild: true,
      },
      () => undefined,
    )
    .catch((error: unknown) => error);
  await until(() => waiting);
  await run.host.stop();
  expect(await building).toMatchObject({ code: 'shutting-down' });
  expect(world.machines.running).toEqual([]);
  expect(await folders()).toEqual([]);
});

describe('dropping', () => {
  test('a template outlives restarts of hostd', async () => {
    await create();
    await restart();
    await create();
    expect(starts()).toEqual(['restore']);
  });

  test('the VMM or the image changed: the template is dropped at the start', async () => {
    const { sandbox } = await create();
    await run.host.sandboxes.stop(sandbox.id);
    world.restoreKey = 'newer';
    await restart();
    expect(await folders()).toEqual([]);
    await run.host.sandboxes.stop((await create()).sandbox.id);
    world.images.add('default');
    await restart();
    expect(await folders()).toEqual([]);
    expect(run.store.resources.all()).toEqual([]);
  });

  test('a dropped template keeps its files until the last sandbox on it is gone, also over a restart', async () => {
    const { sandbox } = await create();
    await run.host.images.build(
      {
        name: 'default',
        recipe: 'default',
        include: [],
        extraCaCertificates: [],
        hostCaBundle: false,
        hostPackageConfig: false,
        rebuild: true,
      },
      () => undefined,
    );
    expect(await folders()).toHaveLength(2);
    expect((await run.host.images.get('default')).templates).toHaveLength(1);
    await restart();
    expect(await folders()).toHaveLength(2);
    await run.host.sandboxes.stop(sandbox.id);
    await until(async () => (await folders()).length === 1);
    await create();
    expect(starts().at(-1)).toBe('restore');
  });

  test('over the cap the least recently used one goes', async () => {
    for (const memoryMiB of [256, 512]) {
      await run.host.sandboxes.stop((await create({ memoryMiB })).sandbox.id);
      world.clock.advance(120_000);
    }
    await run.host.sandboxes.stop((await create({ memoryMiB: 256 })).sandbox.id);
    world.clock.advance(120_000);
    await run.host.sandboxes.stop((await create({ memoryMiB: 768 })).sandbox.id);
    await until(async () => (await folders()).length === 2);
    const kept = (await run.host.images.get('default')).templates.map(({ memoryMiB }) => memoryMiB);
    expect(kept.sort()).toEqual([256, 768]);
  });

  test('a template whose files are not all there is none', async () => {
    await run.host.sandboxes.stop((await create()).sandbox.id);
    const [id = ''] = await folders();
    await run.host.stop();
    run.store.close();
    await rm(join(world.stateDirectory, 'templates', id, 'devices'));
    run = await world.start();
    expect(await folders()).toEqual([]);
  });
});

test('an image in use is not removed; unused it goes with its templates', async () => {
  const { sandbox } = await create();
  await expect(run.host.images.remove('default')).rejects.toMatchObject({
    code: 'image-in-use',
    details: { sandboxIds: [sandbox.id] },
  });
  await run.host.sandboxes.stop(sandbox.id);
  await run.host.images.remove('default');
  expect(await folders()).toEqual([]);
  await expect(create()).rejects.toMatchObject({ code: 'image-not-found' });
});

test('building an image makes its default template', async () => {
  const steps: string[] = [];
  const built = await run.host.images.build(
    {
      name: 'tools',
      recipe: 'default',
      include: [],
      extraCaCertificates: [],
      hostCaBundle: false,
      hostPackageConfig: false,
      rebuild: false,
    },
    ({ step }) => steps.push(step),
  );
  expect(built.templates).toMatchObject([{ cpus: 1, memoryMiB: 512, diskMiB: 8192 }]);
  expect(steps).toContain('template');
  await create({ image: 'tools' });
  expect(starts()).toEqual(['cold', 'restore']);
});
