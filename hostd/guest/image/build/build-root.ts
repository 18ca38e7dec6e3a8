import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Runner } from '../../../platform/run.ts';
import { keepPackages, trimCache } from '../apt/package-cache.ts';
import type { HostConfig } from '../host/host-config.ts';
import type { ImageManifest } from '../image.ts';
import { archivesOf, bootstrap } from './bootstrap.ts';
import type { BuildContext } from './context.ts';
import { makeDisk } from './disk.ts';
import { packArchive } from './initramfs.ts';
import { earlyModulesDirectory, installKernel } from './kernel.ts';
import { installNpmPackages } from './npm-packages.ts';
import type { BuildPlan } from './plan.ts';
import { settleRoot } from './settle.ts';

/** Files of an image, relative to its folder. */
export const imageFiles = {
  rootDisk: 'root.ext4',
  kernel: 'vmlinux',
  initramfs: 'initramfs.cpio',
  modules: 'modules.cpio',
} as const satisfies ImageManifest['files'];

/** What stays below `build/` while an image is made. */
export const scratchName = 'scratch';

export interface RootBuildOptions {
  plan: BuildPlan;
  host: HostConfig;
  /** Takes rootDisk, kernel and modules. */
  directory: string;
  packageCache: string;
  onLine: (line: string) => void;
  /** Called as each step begins. */
  onStep: (step: RootStep) => void;
}

export const rootSteps = ['packages', 'node', 'kernel', 'configuration', 'disk'] as const;
export type RootStep = (typeof rootSteps)[number];

/** Makes everything of an image that does not depend on the agent. The one place that touches the outside, with a fake in tests. */
export interface RootBuilder {
  build(options: RootBuildOptions): Promise<{ kernelVersion: string }>;
}

/** The real one: mmdebstrap, npm, dpkg-deb and mkfs.ext4 through `runner`. */
export function createRootBuilder(runner: Runner): RootBuilder {
  return {
    async build({ plan, host, directory, packageCache, onLine, onStep }) {
      const workDirectory = path.join(directory, scratchName);
      await mkdir(workDirectory, { recursive: true });
      const context: BuildContext = { plan, host, runner, workDirectory, packageCache, onLine };
      onStep('packages');
      await bootstrap(context);
      onStep('node');
      await installNpmPackages(context);
      onStep('kernel');
      const kernelVersion = await installKernel(context, path.join(directory, imageFiles.kernel));
      await salvagePackages(directory, packageCache);
      onStep('configuration');
      await settleRoot(context, kernelVersion);
      onStep('disk');
      await makeDisk(context, path.join(directory, imageFiles.rootDisk));
      await packModules(runner, earlyModulesDirectory(context), path.join(directory, imageFiles.modules));
      await rm(workDirectory, { recursive: true, force: true });
      return { kernelVersion };
    },
  };
}

/** Keeps what an abandoned or finished build has downloaded. `directory` is the build's own. */
export async function salvagePackages(directory: string, packageCache: string): Promise<void> {
  const scratch = { workDirectory: path.join(directory, scratchName) };
  await keepPackages(archivesOf(path.join(scratch.workDirectory, 'root')), packageCache);
  await keepPackages(path.join(scratch.workDirectory, 'kernel'), packageCache);
  await trimCache(packageCache);
}

async function packModules(runner: Runner, early: string, archive: string): Promise<void> {
  const modules = (await readdir(path.join(early, 'modules'))).sort().map((name) => `modules/${name}`);
  await packArchive(runner, early, ['modules', ...modules, 'modules.list'], archive);
}
