import { mkdir, mkdtemp, link, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createImageStore } from '../../hostd/guest/image/image-store.ts';
import type { BuildProgress, Image } from '../../hostd/guest/image/image.ts';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';

const checkout = path.join(import.meta.dirname, '../..');

/** All end-to-end state of this checkout. */
export const endToEndState = path.join(checkout, 'build/e2e-state');

let shared: Promise<string> | undefined;

/**
 * A state directory with the image `default`, built once per checkout and again only when its inputs changed (a new agent takes a
 * second, another recipe one to three minutes). Its guests reach package registries as this host does. Safe from several processes at once.
 */
export function sharedState(): Promise<string> {
  shared ??= buildDefaultImage(endToEndState).then(() => endToEndState);
  return shared;
}

/** A new state directory of one suite, with the shared image hard-linked into it: nothing another suite does can change it. */
export async function isolatedState(): Promise<{ directory: string; [Symbol.asyncDispose](): Promise<void> }> {
  const images = path.join(await sharedState(), 'images/default');
  const directory = await mkdtemp(path.join(endToEndState, 'run-'));
  const into = path.join(directory, 'images/default');
  await mkdir(into, { recursive: true });
  for (const file of await readdir(images)) await link(path.join(images, file), path.join(into, file));
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Builds the agent and the image `default` in a state directory, telling each step on stderr. */
export async function buildDefaultImage(stateDirectory: string): Promise<Image> {
  await runChecked(systemRunner, 'make', ['-s', '-C', path.join(checkout, 'hostd/guest/agent')], {
    timeoutMs: 300_000,
  });
  await mkdir(stateDirectory, { recursive: true });
  return createImageStore({ stateDirectory }).build(
    {
      name: 'default',
      recipe: 'default',
      include: [],
      extraCaCertificates: [],
      hostCaBundle: true,
      hostPackageConfig: true,
      rebuild: false,
    },
    tellSteps(),
  );
}

function tellSteps(): (progress: BuildProgress) => void {
  let told = '';
  return ({ step, done, total }) => {
    if (step === told) return;
    told = step;
    process.stderr.write(`image default: ${step} (${String(done)} of ${String(total)})\n`);
  };
}
