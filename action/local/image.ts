import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { HostClient } from '../../hostd/client/host-client.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { packImage, unpackImage } from './image-archive.ts';
import { openImageCache } from './image-cache.ts';
import { planFiles, type LocalPlan } from './plan.ts';
import { lastLine, type Root } from './root.ts';

type Log = (line: string) => void;

const digestSchema = z.object({ version: z.string(), recipeDigest: z.string() });

function imageFolder({ stateFolder, image }: LocalPlan): string {
  return path.join(stateFolder, 'images', image);
}

/**
 * Key of the image that would be built here now: it covers recipe, suite, packages, agent, and the certificates and package configuration
 * of this runner. Throws `local-host-failed` for an image the bundle has no recipe of.
 */
export async function imageKey(root: Root, plan: LocalPlan, distFolder: string): Promise<string> {
  const program = path.join(distFolder, 'image-digest.mjs');
  const { code, stdout, stderr } = await root.run(process.execPath, [program, plan.image], { timeoutMs: 60_000 });
  if (code !== 0) {
    throw new OffshootError('local-host-failed', {
      message: `The image ${plan.image} can not be made here: ${lastLine(stderr)}`,
      hint: 'host: local knows the images that have a recipe; leave the input image out for the default one.',
    });
  }
  const { version, recipeDigest } = digestSchema.parse(JSON.parse(stdout));
  return `offshoot-image-${process.arch}-${version}-${plan.image}-${recipeDigest}`;
}

/** Puts the image of the cache in place; false when there is none or it is damaged. */
export async function restoreImage(root: Root, plan: LocalPlan, key: string, log: Log): Promise<boolean> {
  const cache = await openImageCache(log);
  await rm(plan.cacheFolder, { recursive: true, force: true });
  if (cache === undefined || !(await cache.restore(plan.cacheFolder, key))) return false;
  const unpacked = path.join(plan.stateFolder, 'restored-image');
  try {
    await unpackImage(root, plan.cacheFolder, unpacked);
    const images = path.dirname(imageFolder(plan));
    await root.mustRun('Restoring the image', 'mkdir', ['-p', '-m', '755', images]);
    await root.mustRun('Restoring the image', 'mv', ['-T', unpacked, imageFolder(plan)]);
    return true;
  } catch (error) {
    log(`the image from the cache is not used: ${error instanceof Error ? error.message : String(error)}`);
    await root.run('rm', ['-rf', unpacked]);
    return false;
  } finally {
    await rm(plan.cacheFolder, { recursive: true, force: true });
  }
}

/** Builds the image unless it is there as wanted, trusting what this runner trusts and reaching packages as it does. Returns whether it was built. */
export async function buildImage(plan: LocalPlan, log: Log, signal?: AbortSignal): Promise<boolean> {
  const before = await imageDigest(plan);
  await using client = new HostClient({ host: planFiles(plan).host });
  let step = '';
  const built = await client.images.build(
    { name: plan.image, recipe: plan.image, hostCaBundle: true, hostPackageConfig: true },
    (progress) => {
      if (progress.step === step) return;
      step = progress.step;
      log(`image ${plan.image}: ${step}`);
    },
    signal === undefined ? {} : { signal },
  );
  return built.digest !== before;
}

/** Notes that the image is to be saved when the host is stopped. */
export async function noteImageToSave(plan: LocalPlan, key: string): Promise<void> {
  await writeFile(planFiles(plan).imageKey, key);
}

/** Saves the image if it was noted. Never fails: the next job builds it again then. */
export async function saveNotedImage(root: Root, plan: LocalPlan, log: Log): Promise<boolean> {
  const key = await readFile(planFiles(plan).imageKey, 'utf8').catch(() => undefined);
  if (key === undefined) return false;
  const cache = await openImageCache(() => undefined);
  if (cache === undefined) return false;
  try {
    await packImage(root, imageFolder(plan), plan.cacheFolder);
    return await cache.save(plan.cacheFolder, key);
  } catch (error) {
    log(`the image was not saved: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    await rm(plan.cacheFolder, { recursive: true, force: true });
  }
}

async function imageDigest(plan: LocalPlan): Promise<string | undefined> {
  const text = await readFile(path.join(imageFolder(plan), 'manifest.json'), 'utf8').catch(() => '{}');
  return z.object({ digest: z.string().optional() }).parse(JSON.parse(text)).digest;
}
