import { mkdir, mkdtemp, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { keepPackages, linkPackages, trimCache } from './package-cache.ts';

let cache = '';
let archives = '';

beforeEach(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-cache-'));
  [cache, archives] = [path.join(directory, 'cache'), path.join(directory, 'archives')];
  await mkdir(path.join(archives, 'partial'), { recursive: true });
});

it('keeps whole packages and gives them to the next build without a copy', async () => {
  await writeFile(path.join(archives, 'a_1.deb'), 'a');
  await writeFile(path.join(archives, 'partial/b_1.deb'), 'b');
  await writeFile(path.join(archives, 'lock'), '');
  await keepPackages(archives, cache);
  await keepPackages(archives, cache);
  expect(await readdir(cache)).toEqual(['a_1.deb']);
  const next = path.join(archives, '../next');
  await mkdir(next);
  await linkPackages(cache, next);
  await linkPackages(cache, next);
  expect((await stat(path.join(next, 'a_1.deb'))).ino).toBe((await stat(path.join(cache, 'a_1.deb'))).ino);
});

it('drops the packages that came first when it grows too large', async () => {
  await mkdir(cache);
  for (const [index, name] of ['old.deb', 'middle.deb', 'new.deb'].entries()) {
    await writeFile(path.join(cache, name), Buffer.alloc(100));
    await utimes(path.join(cache, name), index, index);
  }
  await trimCache(cache, 250);
  expect((await readdir(cache)).sort()).toEqual(['middle.deb', 'new.deb']);
});

it('is no hindrance when there is nothing', async () => {
  await linkPackages(path.join(cache, 'none'), archives);
  await keepPackages(path.join(archives, 'none'), cache);
  await trimCache(path.join(cache, 'none-either'));
});
