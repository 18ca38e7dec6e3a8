import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { initramfsOfWholePages } from './whole-pages.ts';

let root: string;
let machine: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'whole-pages-'));
  machine = join(root, 'machine');
  await mkdir(machine);
});

afterEach(() => rm(root, { recursive: true }));

test('an initramfs that ends within a page is copied with zeros to the page’s end, which any user may read', async () => {
  const given = join(root, 'given');
  await writeFile(given, Buffer.alloc(4096 + 3584, 7), { mode: 0o600 });

  const path = await initramfsOfWholePages(given, machine);

  expect(path).not.toBe(given);
  expect(await readFile(path)).toEqual(Buffer.concat([Buffer.alloc(4096 + 3584, 7), Buffer.alloc(512)]));
  expect((await stat(path)).mode & 0o777).toBe(0o444);
  expect((await stat(given)).size).toBe(4096 + 3584);
});

test('one of whole pages is used as it is', async () => {
  const given = join(root, 'given');
  await writeFile(given, Buffer.alloc(8192, 7));

  expect(await initramfsOfWholePages(given, machine)).toBe(given);
  expect(await readdir(machine)).toEqual([]);
});
