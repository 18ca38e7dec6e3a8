import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRunner } from '../../platform/run.ts';
import { FakeRootBuilder, plainHost } from './fake-root-builder.ts';
import { createImageStore } from './image-store.ts';
import type { BuildProgress, ImageBuildRequest, ImageStore } from './image.ts';

const request: ImageBuildRequest = {
  name: 'default',
  recipe: 'default',
  include: [],
  extraCaCertificates: [],
  hostCaBundle: false,
  hostPackageConfig: false,
  rebuild: false,
};
const ignore = () => undefined;

let state = '';
let agentPath = '';
let builder = new FakeRootBuilder();
let store: ImageStore;

function openStore(): ImageStore {
  return createImageStore({
    stateDirectory: state,
    agentPath,
    rootBuilder: builder,
    hostConfig: () => Promise.resolve(plainHost),
    checkHost: () => Promise.resolve(),
  });
}

beforeEach(async () => {
  state = await mkdtemp(path.join(tmpdir(), 'offshoot-images-'));
  agentPath = path.join(state, 'agent');
  await writeFile(agentPath, 'ELF offshoot-agent 0123abcd\nfirst', { mode: 0o755 });
  builder = new FakeRootBuilder();
  store = openStore();
});

afterEach(() => rm(state, { recursive: true, force: true }));

function files(): Promise<string[]> {
  return readdir(path.join(state, 'images')).then((names) => names.filter((name) => name !== '.build-lock'));
}

describe('building', () => {
  it('gives an image with its manifest, and tells the steps in order', async () => {
    const steps: string[] = [];
    const { manifest, directory } = await store.build(
      request,
      ({ step, line }) => line === undefined && steps.push(step),
    );
    expect(steps).toEqual(['packages', 'node', 'kernel', 'configuration', 'disk', 'initramfs', 'finish', 'done']);
    expect(manifest).toMatchObject({
      name: 'default',
      suite: 'trixie',
      agentBuild: '0123abcd',
      kernelVersion: '6.12.1-cloud-amd64',
    });
    expect((await readdir(directory)).sort()).toEqual([
      'initramfs.cpio',
      'manifest.json',
      'modules.cpio',
      'root.ext4',
      'vmlinux',
    ]);
    expect(await store.get('default')).toEqual({ manifest, directory });
    expect((await store.list()).map((image) => image.manifest.name)).toEqual(['default']);
    expect((await stat(directory)).mode & 0o777).toBe(0o755);
  });

  it('packs the agent as /init, executable and owned by root, before the modules', async () => {
    const { directory } = await store.build(request, ignore);
    const { stdout } = await systemRunner.run('cpio', ['-tv', '--quiet', '-F', path.join(directory, 'initramfs.cpio')]);
    expect(stdout).toMatch(/^-rwxr-xr-x +1 root +root +\d+ .* init\n/);
    expect((await readFile(path.join(directory, 'initramfs.cpio'), 'latin1')).endsWith('modules.cpio 1')).toBe(true);
  });

  it('is done once for the same inputs, also by another process', async () => {
    const first = await store.build(request, ignore);
    expect(await store.build(request, ignore)).toEqual(first);
    expect(await openStore().build(request, ignore)).toEqual(first);
    expect(builder.builds).toHaveLength(1);
  });

  it('takes the root disk over when only the agent is new', async () => {
    const before = await store.build(request, ignore);
    const disk = await stat(path.join(before.directory, 'root.ext4'));
    await writeFile(agentPath, 'ELF offshoot-agent 4567cdef\nsecond', { mode: 0o755 });
    const after = await store.build(request, ignore);
    expect(builder.builds).toHaveLength(1);
    expect(after.manifest.agentBuild).toBe('4567cdef');
    expect(after.manifest.digest).not.toBe(before.manifest.digest);
    expect((await stat(path.join(after.directory, 'root.ext4'))).ino).toBe(disk.ino);
    expect(await readFile(path.join(after.directory, 'initramfs.cpio'), 'latin1')).toContain('second');
    expect(await files()).toEqual(['default']);
  });

  it('the image to start from has the agent of now, all else as it was, and is what a build would give', async () => {
    const before = await store.build(request, ignore);
    expect(await store.current('default')).toEqual(before);
    const disk = await stat(path.join(before.directory, 'root.ext4'));
    await writeFile(agentPath, 'ELF offshoot-agent 4567cdef\nsecond', { mode: 0o755 });
    const both = await Promise.all([store.current('default'), openStore().current('default')]);
    const [after] = both;
    expect(both[1]).toEqual(after);
    const { digest, agentBuild, recipeDigest, fileSizesBytes, ...kept } = after.manifest;
    expect(before.manifest).toMatchObject(kept);
    expect([digest, recipeDigest]).not.toContain(before.manifest.digest);
    expect(agentBuild).toBe('4567cdef');
    expect(Object.keys(fileSizesBytes)).toHaveLength(4);
    expect((await stat(path.join(after.directory, 'root.ext4'))).ino).toBe(disk.ino);
    expect((await stat(path.join(after.directory, 'initramfs.cpio'))).mode & 0o777).toBe(0o644);
    expect(await readFile(path.join(after.directory, 'initramfs.cpio'), 'latin1')).toContain('second');
    expect(await store.build(request, ignore)).toEqual(after);
    expect(builder.builds).toHaveLength(1);
    expect(await files()).toEqual(['default']);
  });

  it('an image whose agent can not be renewed stays as it was', async () => {
    const before = await store.build(request, ignore);
    await writeFile(agentPath, 'ELF offshoot-agent 4567cdef\nsecond', { mode: 0o755 });
    const failing = { ...systemRunner, run: () => Promise.reject(new Error('no cpio here')) };
    const broken = createImageStore({ stateDirectory: state, agentPath, runner: failing, rootBuilder: builder });
    await expect(broken.current('default')).rejects.toMatchObject({ code: 'image-build-failed' });
    expect(await store.get('default')).toEqual(before);
    expect(await files()).toEqual(['default']);
  });

  it('packs the agent that was there at the start, whatever is compiled meanwhile', async () => {
    const release = hold();
    const building = store.build(request, ignore);
    await untilBuilding();
    await writeFile(agentPath, 'ELF offshoot-agent 4567cdef\nsecond', { mode: 0o755 });
    release();
    const { directory, manifest } = await building;
    expect(manifest.agentBuild).toBe('0123abcd');
    expect(await readFile(path.join(directory, 'initramfs.cpio'), 'latin1')).toContain('first');
    expect((await store.build(request, ignore)).manifest.agentBuild).toBe('4567cdef');
  });

  it('is done anew when asked to', async () => {
    const before = await store.build(request, ignore);
    const after = await store.build({ ...request, rebuild: true }, ignore);
    expect(builder.builds).toHaveLength(2);
    expect(after.manifest.digest).not.toBe(before.manifest.digest);
    expect(after.manifest.recipeDigest).toBe(before.manifest.recipeDigest);
  });

  it('is not needed when what is asked for in other words is there', async () => {
    const present = await store.build(request, ignore);
    expect(await store.build({ ...request, include: ['git'], suite: 'trixie' }, ignore)).toEqual(present);
  });

  it('does not put another image under a name that is taken, unless asked for a rebuild', async () => {
    await store.build(request, ignore);
    const other = { ...request, include: ['rsync'] };
    await expect(store.build(other, ignore)).rejects.toMatchObject({ code: 'image-exists' });
    await expect(store.build({ ...request, suite: 'bookworm' }, ignore)).rejects.toMatchObject({
      code: 'image-exists',
    });
    expect((await store.build({ ...other, rebuild: true }, ignore)).manifest.include).toEqual(['rsync']);
  });
});

describe('building at the same time', () => {
  it('two callers who want the same share one build and its progress', async () => {
    const told: BuildProgress[][] = [[], []];
    const release = hold();
    const both = [store.build(request, (p) => told[0]?.push(p)), store.build(request, (p) => told[1]?.push(p))];
    await untilBuilding();
    release();
    const [one, two] = await Promise.all(both);
    expect(one).toEqual(two);
    expect(builder.builds).toHaveLength(1);
    for (const progress of told) expect(progress.at(-1)).toMatchObject({ step: 'done', done: 7, total: 7 });
  });

  it('a caller who wants another recipe under that name is told', async () => {
    const release = hold();
    const first = store.build(request, ignore);
    await untilBuilding();
    await expect(store.build({ ...request, include: ['rsync'] }, ignore)).rejects.toMatchObject({
      code: 'image-exists',
    });
    release();
    await first;
  });

  it('two processes build one after the other, and the second finds the first one’s image', async () => {
    const release = hold();
    const [first, second] = [store.build(request, ignore), openStore().build(request, ignore)];
    await untilBuilding();
    release();
    expect(await first).toEqual(await second);
    const names = ['a', 'b', 'c'].map((name) => openStore().build({ ...request, name }, ignore));
    await Promise.all(names);
    expect([builder.builds.length, builder.mostAtOnce]).toEqual([4, 1]);
  });
});

describe('a build that fails', () => {
  it('says which step and where the log is, leaves nothing but what it downloaded, and can be tried again', async () => {
    builder.failure = new Error('the mirror said no');
    const failure = await store.build(request, ignore).catch((error: unknown) => error);
    const log = path.join(state, 'logs/image-default.log');
    expect(failure).toMatchObject({
      code: 'image-build-failed',
      details: { step: 'disk', log, lines: expect.arrayContaining(['a line of a tool']) },
    });
    expect(failure).toHaveProperty('message', expect.stringContaining('the mirror said no'));
    expect(await readFile(log, 'utf8')).toContain('a line of a tool');
    expect(await files()).toEqual([]);
    expect(await readdir(path.join(state, 'cache/apt'))).toEqual(['git_1_amd64.deb']);
    builder.failure = undefined;
    expect((await store.build(request, ignore)).manifest.name).toBe('default');
  });

  it('for want of disk space is told apart', async () => {
    builder.failure = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    await expect(store.build(request, ignore)).rejects.toMatchObject({ code: 'host-disk-full' });
  });

  it('keeps the image that was there', async () => {
    const before = await store.build(request, ignore);
    builder.failure = new Error('no');
    await expect(store.build({ ...request, rebuild: true }, ignore)).rejects.toThrow();
    expect(await store.get('default')).toEqual(before);
  });

  it('is refused before it starts when the host lacks something', async () => {
    const strict = createImageStore({
      stateDirectory: state,
      agentPath,
      rootBuilder: builder,
      hostConfig: () => Promise.resolve(plainHost),
      checkHost: () => Promise.reject(new Error('not here')),
    });
    await expect(strict.build(request, ignore)).rejects.toThrow('not here');
    expect([builder.builds, await files()]).toEqual([[], []]);
  });

  it('without an agent says how to build it', async () => {
    await rm(agentPath);
    await expect(store.build(request, ignore)).rejects.toMatchObject({
      code: 'image-build-failed',
      hint: 'Run: npm run native',
    });
  });
});

describe('what an interrupted build left', () => {
  it('is swept by the next build, its downloads kept', async () => {
    const left = path.join(state, 'images/.building-0123456789ab-default');
    await mkdir(path.join(left, 'scratch/root/var/cache/apt/archives'), { recursive: true });
    await writeFile(path.join(left, 'scratch/root/var/cache/apt/archives/left_1_all.deb'), 'x');
    await mkdir(path.join(state, 'images/.replaced-0123456789ab-default'));
    await store.build(request, ignore);
    expect(await files()).toEqual(['default']);
    expect(await readdir(path.join(state, 'cache/apt'))).toContain('left_1_all.deb');
  });

  it('is put in place when it was finished', async () => {
    const { directory, manifest } = await store.build(request, ignore);
    await rename(directory, path.join(state, 'images/.building-0123456789ab-default'));
    expect((await store.build(request, ignore)).manifest).toEqual(manifest);
    expect(builder.builds).toHaveLength(1);
  });
});

describe('a damaged image', () => {
  const damages: [string, (directory: string) => Promise<void>, RegExp][] = [
    ['a file is missing', (directory) => rm(path.join(directory, 'root.ext4')), /root\.ext4 is missing/],
    ['a file is cut', (directory) => truncate(path.join(directory, 'vmlinux'), 3), /vmlinux has 3 bytes/],
    [
      'its manifest is nonsense',
      (directory) => writeFile(path.join(directory, 'manifest.json'), '{'),
      /manifest\.json/,
    ],
  ];

  it.each(damages)('is not given out and is built again: %s', async (_, harm, message) => {
    const { directory } = await store.build(request, ignore);
    await harm(directory);
    const failure = await store.get('default').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'image-broken', message: expect.stringMatching(message) as string });
    expect(await store.list()).toEqual([]);
    await store.build(request, ignore);
    expect(builder.builds).toHaveLength(2);
    expect((await store.get('default')).manifest.name).toBe('default');
  });
});

describe('names', () => {
  it.each(['', '..', '.hidden', 'a/b', 'a\0b', 'Ä', 'x'.repeat(10_000)])('that are none: %j', async (name) => {
    await expect(store.get(name)).rejects.toMatchObject({ code: 'image-not-found' });
    await expect(store.build({ ...request, name }, ignore)).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(store.remove(name)).rejects.toMatchObject({ code: 'invalid-request' });
  });

  it('can be removed, also twice', async () => {
    await store.build(request, ignore);
    await store.remove('default');
    await store.remove('default');
    await expect(store.get('default')).rejects.toMatchObject({ code: 'image-not-found' });
  });
});

function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  builder.gate = promise;
  return () => {
    resolve(undefined);
  };
}

async function untilBuilding(): Promise<void> {
  await expect.poll(() => builder.builds.length, { interval: 5, timeout: 5000 }).toBe(1);
}
