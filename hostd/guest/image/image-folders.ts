import { randomBytes } from 'node:crypto';
import { open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { imageManifestSchema, type Image, type ImageManifest } from './image.ts';

export const manifestName = 'manifest.json';
const buildingPrefix = '.building-';
const replacedPrefix = '.replaced-';
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Throws `invalid-request` unless the name can be a folder of its own. */
export function checkImageName(name: string): void {
  if (namePattern.test(name)) return;
  throw new OffshootError('invalid-request', {
    message: `${JSON.stringify(name.slice(0, 80))} is no image name: lower-case letters, digits, dots, dashes and underscores, at most 63.`,
  });
}

export function newBuildFolder(images: string, name: string): string {
  return path.join(images, `${buildingPrefix}${randomBytes(6).toString('hex')}-${name}`);
}

/** Names of the images there are, whole or broken. */
export async function imageNames(images: string): Promise<string[]> {
  const entries = await readdir(images, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && namePattern.test(entry.name)).map((entry) => entry.name);
}

/** Throws `image-not-found`, or `image-broken` with details.reason. */
export async function readImage(images: string, name: string): Promise<Image> {
  const directory = path.join(images, name);
  const known = namePattern.test(name) && (await stat(directory).catch(() => undefined))?.isDirectory() === true;
  if (!known) {
    throw new OffshootError('image-not-found', {
      message: `There is no image named ${JSON.stringify(name.slice(0, 80))}.`,
    });
  }
  const manifest = await readManifest(directory);
  const reason = manifest === undefined ? `${manifestName} is missing or not valid` : await damage(directory, manifest);
  if (manifest !== undefined && reason === undefined) return { directory, manifest };
  throw new OffshootError('image-broken', {
    message: `The image ${name} is damaged: ${reason ?? 'unknown'}.`,
    hint: `Build it again: offshoot image build ${name} --rebuild.`,
    details: { image: name, reason },
  });
}

export async function readManifest(directory: string): Promise<ImageManifest | undefined> {
  try {
    const parsed = imageManifestSchema.safeParse(
      JSON.parse(await readFile(path.join(directory, manifestName), 'utf8')),
    );
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

async function damage(directory: string, manifest: ImageManifest): Promise<string | undefined> {
  for (const file of Object.values(manifest.files)) {
    const size = (await stat(path.join(directory, file)).catch(() => undefined))?.size;
    if (size === undefined) return `${file} is missing`;
    const expected = manifest.fileSizesBytes[file];
    if (size !== expected) return `${file} has ${String(size)} bytes instead of ${String(expected)}`;
  }
  return undefined;
}

/** Puts a finished build in the place of the image. What was there is removed last. */
export async function publish(images: string, name: string, building: string): Promise<void> {
  for (const file of await readdir(building)) await syncPath(path.join(building, file));
  await syncPath(building);
  const target = path.join(images, name);
  const replaced = path.join(images, `${replacedPrefix}${randomBytes(6).toString('hex')}-${name}`);
  await rename(target, replaced).catch(ignoreMissing);
  await rename(building, target);
  await syncPath(images);
  await rm(replaced, { recursive: true, force: true });
}

/**
 * Clears what earlier builds left behind; only for the holder of the build lock. A finished build that was cut off between the two
 * renames is put in place. `beforeRemoval` gets each folder that is given up.
 */
export async function sweepFolders(images: string, beforeRemoval: (directory: string) => Promise<void>): Promise<void> {
  for (const entry of await readdir(images).catch(() => [])) {
    const leftover = path.join(images, entry);
    const name = /^\.building-[0-9a-f]{12}-(.+)$/.exec(entry)?.[1];
    if (name !== undefined) {
      const finished = (await readManifest(leftover)) !== undefined;
      const missing = (await stat(path.join(images, name)).catch(() => undefined)) === undefined;
      if (finished && missing) {
        await publish(images, name, leftover);
        continue;
      }
      await beforeRemoval(leftover);
    }
    if (name !== undefined || entry.startsWith(replacedPrefix)) await rm(leftover, { recursive: true, force: true });
  }
}

async function syncPath(target: string): Promise<void> {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
