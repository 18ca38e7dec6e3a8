import { readdir, stat } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { openMemoryFreezer } from './memory-freezer.ts';
import { FreezeScene as Scene } from './testing/freeze-scene.ts';
import { buildNative } from './testing/launch-folder.ts';
import { pageBytes } from './testing/stand-in.ts';

const { pages } = Scene;

beforeAll(() => buildNative('freeze-test'), 120_000);

test.each(['clone', 'copy'] as const)('%s: the image is the base and what the source touched', async (method) => {
  await using scene = await Scene.make();
  await using freezer = await openMemoryFreezer(scene.request({ method }));
  expect(await freezer.freeze()).toBe(method);
  const written = await freezer.write();
  await scene.expectWholeImage();
  const touched = Math.ceil(pages / 3);
  const withData = Math.floor(touched / 2) + Math.ceil(pages / 5) - Math.ceil(pages / 15);
  expect(written).toEqual({ touchedBytes: touched * pageBytes, imageBytes: withData * pageBytes });
  const file = await stat(scene.imagePath);
  expect([file.blocks * 512, file.mode & 0o777]).toEqual([written.imageBytes, 0o600]);
  await scene.expectUnharmed();
});

test('a clone shows the moment of the freeze, whatever the source writes afterwards', async () => {
  await using scene = await Scene.make();
  await using freezer = await openMemoryFreezer(scene.request());
  expect(await freezer.freeze()).toBe('clone');
  scene.standIn.send('rewrite');
  await new Promise((wake) => setTimeout(wake, 100));
  await freezer.write();
  await scene.expectWholeImage();
});

test('what is given up leaves no image, no duplicate and an unharmed source', async () => {
  await using scene = await Scene.make();
  const freezer = await openMemoryFreezer(scene.request());
  await freezer.freeze();
  expect(await scene.standIn.duplicates()).toHaveLength(1);
  await freezer.abandon();
  expect(await readdir(scene.folder)).toEqual(['base']);
  await scene.expectUnharmed();
});

test('a signal gives up at any point', async () => {
  await using scene = await Scene.make();
  const early = AbortSignal.abort();
  await expect(openMemoryFreezer(scene.request({ signal: early }))).rejects.toMatchObject({ code: 'aborted' });
  const leaving = new AbortController();
  await using freezer = await openMemoryFreezer(scene.request({ signal: leaving.signal }));
  await freezer.freeze();
  leaving.abort();
  await expect(freezer.write()).rejects.toMatchObject({ code: 'aborted' });
  expect(await readdir(scene.folder)).toEqual(['base']);
  await scene.expectUnharmed();
});
