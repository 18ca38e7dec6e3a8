import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openMemoryFreezer, type FreezeRequest } from './memory-freezer.ts';
import { buildNative, eventually } from './testing/launch-folder.ts';
import { expectedImage, freezeProgram, pageBytes, StandIn, writeBase } from './testing/stand-in.ts';

beforeAll(() => buildNative('freeze-test'), 120_000);

const pages = 4096;

class Scene implements AsyncDisposable {
  readonly folder: string;
  readonly standIn: StandIn;

  private constructor(folder: string, standIn: StandIn) {
    this.folder = folder;
    this.standIn = standIn;
  }

  static async make(before?: string): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), 'freezer-'));
    await writeBase(join(folder, 'base'), pages);
    return new Scene(folder, await StandIn.start(join(folder, 'base'), before));
  }

  get imagePath(): string {
    return join(this.folder, 'image');
  }

  request(more: Partial<FreezeRequest> = {}): FreezeRequest {
    const { identity: source } = this.standIn;
    const paths = { basePath: join(this.folder, 'base'), imagePath: this.imagePath };
    return { program: freezeProgram, source, ...paths, method: 'clone', minAvailableMiB: 64, ...more };
  }

  async expectUnharmed(): Promise<void> {
    const before = await this.standIn.report();
    await eventually(
      async () => ((await this.standIn.report()).rounds > before.rounds ? true : undefined),
      'work of the source',
    );
    expect(await this.standIn.report()).toMatchObject({ errors: 0, mask: 'kept', stack: 'kept' });
    await eventually(
      async () => ((await this.standIn.duplicates()).length === 0 ? true : undefined),
      'the end of duplicates',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.standIn[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true });
  }
}

test.each(['clone', 'copy'] as const)('%s: the image is the base and what the source touched', async (method) => {
  await using scene = await Scene.make();
  await using freezer = await openMemoryFreezer(scene.request({ method }));
  expect(await freezer.freeze()).toBe(method);
  const written = await freezer.write();
  expect((await readFile(scene.imagePath)).equals(await expectedImage(join(scene.folder, 'base')))).toBe(true);
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
  expect((await readFile(scene.imagePath)).equals(await expectedImage(join(scene.folder, 'base')))).toBe(true);
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
