import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runChecked, systemRunner } from '../../platform/run.ts';
import { createImageStore } from './image-store.ts';
import type { ImageBuildRequest } from './image.ts';

const request: ImageBuildRequest = {
  name: 'default',
  recipe: 'default',
  include: [],
  extraCaCertificates: [],
  hostCaBundle: false,
  hostPackageConfig: false,
  rebuild: false,
};

let stateDirectory = '';

beforeEach(async () => {
  stateDirectory = await mkdtemp(path.join(tmpdir(), 'offshoot-full-'));
  await runChecked(systemRunner, 'mount', ['-t', 'tmpfs', '-o', 'size=200m', 'offshoot-full', stateDirectory]);
});

afterEach(async () => {
  await runChecked(systemRunner, 'umount', [stateDirectory]);
  await rm(stateDirectory, { recursive: true });
});

describe('a state directory that is too small', () => {
  it('is told before anything is downloaded', async () => {
    await expect(createImageStore({ stateDirectory }).build(request, () => undefined)).rejects.toMatchObject({
      code: 'host-disk-full',
      details: { requiredFreeMiB: 3072 },
    });
  });

  it('is told when it fills up in the middle, and nothing half-made is left', async () => {
    const store = createImageStore({ stateDirectory, checkHost: () => Promise.resolve() });
    await expect(store.build(request, () => undefined)).rejects.toMatchObject({
      code: 'host-disk-full',
      details: { image: 'default', step: 'packages' },
    });
    const left = await readdir(path.join(stateDirectory, 'images'));
    expect(left.filter((name) => !name.startsWith('.build-lock'))).toEqual([]);
  }, 300_000);
});
