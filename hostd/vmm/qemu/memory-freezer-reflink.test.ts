import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openMemoryFreezer } from './memory-freezer.ts';
import { FreezeScene } from './testing/freeze-scene.ts';
import { buildNative } from './testing/launch-folder.ts';

beforeAll(() => buildNative('freeze-test'), 120_000);

const canMakeXfs = ['/sbin/mkfs.xfs', '/usr/sbin/mkfs.xfs'].some(existsSync) && existsSync('/dev/loop-control');

/** A file system that shares extents, on a loop device. */
class SharingDisk implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<SharingDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'reflink-'));
    await chmod(folder, 0o711);
    const disk = join(folder, 'disk');
    await writeFile(disk, '');
    await truncate(disk, 400 * 1024 * 1024);
    await mkdir(join(folder, 'mounted'));
    execFileSync('mkfs.xfs', ['-q', '-m', 'reflink=1', disk]);
    execFileSync('mount', ['-o', 'loop', disk, join(folder, 'mounted')]);
    return new SharingDisk(folder);
  }

  get mounted(): string {
    return join(this.folder, 'mounted');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    execFileSync('umount', [this.mounted]);
    await rm(this.folder, { recursive: true });
  }
}

test.skipIf(!canMakeXfs).each(['clone', 'copy'] as const)(
  '%s: where the file system shares extents, what the source did not touch stays the base itself',
  async (method) => {
    await using disk = await SharingDisk.make();
    await using scene = await FreezeScene.make({ above: disk.mounted });
    await using freezer = await openMemoryFreezer(scene.request({ method }));
    await freezer.freeze();
    await freezer.write();
    await scene.expectWholeImage();
    const extents = execFileSync('filefrag', ['-v', scene.imagePath], { encoding: 'utf8' });
    expect(extents).toMatch(/\bshared\b/);
    await scene.expectUnharmed();
  },
);
