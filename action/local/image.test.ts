import { mkdir, mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CacheService } from '../../test/doubles/actions-cache/cache-service.ts';
import { packImage, unpackImage } from './image-archive.ts';
import { noteImageToSave, restoreImage, saveNotedImage } from './image.ts';
import { makePlan, type LocalPlan } from './plan.ts';
import { Root } from './root.ts';

const root = new Root();
const diskBytes = 64 * 1024 * 1024;
let temp = '';
let image = '';
let lines: string[] = [];
const log = (line: string) => void lines.push(line);

beforeEach(async () => {
  lines = [];
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-image-'));
  image = await makeImage(path.join(temp, 'image'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temp, { recursive: true, force: true });
});

/** Files as an image has them, its disk mostly hole. */
async function makeImage(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of ['manifest.json', 'vmlinux', 'initramfs.cpio', 'modules.cpio'])
    await writeFile(path.join(folder, name), `{"file":"${name}"}`);
  const disk = await open(path.join(folder, 'root.ext4'), 'w');
  await disk.truncate(diskBytes);
  await disk.write('content', diskBytes / 2);
  await disk.close();
  return folder;
}

function newPlan(): LocalPlan {
  return makePlan({ tempFolder: path.join(temp, 'runner'), image: 'default', owner: undefined, root: temp });
}

describe('a packed image', () => {
  it('comes out as it went in, with its holes, and weighs little', async () => {
    const folder = path.join(temp, 'packed');
    await packImage(root, image, folder);
    expect((await stat(path.join(folder, 'image.tar.zst'))).size).toBeLessThan(100_000);
    const out = path.join(temp, 'out');
    await unpackImage(root, folder, out);
    const disk = path.join(out, 'root.ext4');
    expect((await readFile(disk)).equals(await readFile(path.join(image, 'root.ext4')))).toBe(true);
    expect((await stat(disk)).blocks * 512).toBeLessThan(1024 * 1024);
    expect(await readFile(path.join(out, 'vmlinux'), 'utf8')).toBe('{"file":"vmlinux"}');
  });

  it('is refused when a byte of it changed', async () => {
    const folder = path.join(temp, 'packed');
    await packImage(root, image, folder);
    const file = path.join(folder, 'image.tar.zst');
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50);
    await writeFile(file, bytes);
    await expect(unpackImage(root, folder, path.join(temp, 'out'))).rejects.toThrow('digest is not the one');
  });

  it('is refused when a part of it is a link or missing', async () => {
    const folder = path.join(temp, 'packed');
    await rm(path.join(image, 'vmlinux'));
    await symlink('/etc/passwd', path.join(image, 'vmlinux'));
    await packImage(root, image, folder);
    await expect(unpackImage(root, folder, path.join(temp, 'out'))).rejects.toThrow('vmlinux is no plain file');
    await rm(path.join(image, 'vmlinux'));
    await expect(packImage(root, image, folder)).rejects.toThrow(/Packing the image failed/);
  });
});

describe('the image of a job', () => {
  let service: CacheService;

  beforeEach(async () => {
    service = await CacheService.start(path.join(temp, 'stored'));
    await mkdir(path.join(temp, 'runner'));
    const more = { RUNNER_TEMP: path.join(temp, 'runner'), GITHUB_WORKSPACE: temp };
    for (const [name, value] of Object.entries({ ...service.environment, ...more })) vi.stubEnv(name, value);
  });

  afterEach(() => service[Symbol.asyncDispose]());

  /** A job that has built its image and is at its end. */
  async function builtBy(plan: LocalPlan): Promise<void> {
    await makeImage(path.join(plan.stateFolder, 'images/default'));
    await mkdir(plan.workFolder, { recursive: true });
    await noteImageToSave(plan, 'the-key');
  }

  it('is saved when it was built, and is in place in the next job', async () => {
    const [first, second] = [newPlan(), newPlan()];
    await builtBy(first);
    expect(await saveNotedImage(root, first, log)).toBe(true);
    await mkdir(second.stateFolder);
    expect(await restoreImage(root, second, 'another-key', log)).toBe(false);
    expect(await restoreImage(root, second, 'the-key', log)).toBe(true);
    const manifest = path.join(second.stateFolder, 'images/default/manifest.json');
    expect(await readFile(manifest, 'utf8')).toBe('{"file":"manifest.json"}');
    expect(await stat(second.cacheFolder).catch(() => 'gone')).toBe('gone');
  });

  it('is not saved when it came from the cache', async () => {
    const plan = newPlan();
    await makeImage(path.join(plan.stateFolder, 'images/default'));
    expect(await saveNotedImage(root, plan, log)).toBe(false);
    expect(service.calls).toEqual([]);
  });

  it('is built again when what the cache has is damaged', async () => {
    const [first, second] = [newPlan(), newPlan()];
    await builtBy(first);
    await saveNotedImage(root, first, log);
    await service.damage('the-key');
    await mkdir(second.stateFolder);
    expect(await restoreImage(root, second, 'the-key', log)).toBe(false);
    expect(await stat(path.join(second.stateFolder, 'images')).catch(() => 'none')).toBe('none');
  });

  it('that can not be saved fails nothing', async () => {
    const plan = newPlan();
    await builtBy(plan);
    await rm(path.join(plan.stateFolder, 'images/default/vmlinux'));
    expect(await saveNotedImage(root, plan, log)).toBe(false);
    expect(lines.join('\n')).toContain('the image was not saved: Packing the image failed');
  });
});
