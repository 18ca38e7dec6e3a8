import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CacheService } from '../../test/doubles/actions-cache/cache-service.ts';
import { openImageCache } from './image-cache.ts';

let temp = '';
let service: CacheService;
let lines: string[] = [];
const log = (line: string) => void lines.push(line);

beforeEach(async () => {
  lines = [];
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-cache-'));
  service = await CacheService.start(path.join(temp, 'stored'));
  await mkdir(path.join(temp, 'runner'));
  vi.stubEnv('RUNNER_TEMP', path.join(temp, 'runner'));
  vi.stubEnv('GITHUB_WORKSPACE', temp);
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await service[Symbol.asyncDispose]();
  await rm(temp, { recursive: true, force: true });
});

async function open() {
  const cache = await openImageCache(log);
  if (cache === undefined) throw new Error('there is no cache');
  return cache;
}

describe('the Actions cache', () => {
  it('brings back under its key what was saved, once', async () => {
    const folder = path.join(temp, 'runner/offshoot-image');
    const cache = await open();
    expect(await cache.restore(folder, 'key-1')).toBe(false);
    await mkdir(folder);
    await writeFile(path.join(folder, 'image'), 'an image');
    expect(await cache.save(folder, 'key-1')).toBe(true);
    expect(await cache.save(folder, 'key-1')).toBe(false); // an entry never changes
    await rm(folder, { recursive: true });
    expect(await cache.restore(folder, 'key-2')).toBe(false);
    expect(await cache.restore(folder, 'key-1')).toBe(true);
    expect(await readFile(path.join(folder, 'image'), 'utf8')).toBe('an image');
  });

  it('is done without where there is none, with one line', async () => {
    vi.stubEnv('ACTIONS_RESULTS_URL', '');
    vi.stubEnv('ACTIONS_CACHE_URL', '');
    expect(await openImageCache(log)).toBeUndefined();
    expect(lines).toEqual(['no Actions cache here: the image is built in every job']);
  });

  it('that refuses fails nothing', async () => {
    const cache = await open();
    vi.stubEnv('ACTIONS_RUNTIME_TOKEN', 'another');
    const folder = path.join(temp, 'runner/offshoot-image');
    expect(await cache.restore(folder, 'key')).toBe(false);
    await mkdir(folder);
    expect(await cache.save(folder, 'key')).toBe(false);
    expect(service.entries).toEqual([]);
  });
});
