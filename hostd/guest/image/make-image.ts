import { chmod, link, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Runner } from '../../platform/run.ts';
import { agentProtocolVersion, type AgentBinary } from './agent-binary.ts';
import { buildFailure } from './build-failure.ts';
import { BuildLog } from './build-log.ts';
import { imageFiles, rootSteps, salvagePackages, scratchName, type RootBuilder } from './build/build-root.ts';
import { makeInitramfs } from './build/initramfs.ts';
import { digestOf, type BuildPlan } from './build/plan.ts';
import type { HostConfig } from './host/host-config.ts';
import { manifestName, newBuildFolder, publish, readImage } from './image-folders.ts';
import type { BuildProgress, Image, ImageManifest } from './image.ts';

export interface WantedImage {
  name: string;
  rebuild: boolean;
  include: readonly string[];
  host: HostConfig;
  plan: BuildPlan;
  agent: AgentBinary;
  recipeDigest: string;
}

export interface MakeImageOptions {
  images: string;
  packageCache: string;
  /** File of the build log. */
  log: string;
  runner: Runner;
  rootBuilder: RootBuilder;
  report: (progress: BuildProgress) => void;
}

const steps = [...rootSteps, 'initramfs', 'finish'] as const;

/** Makes an image in a folder of its own and puts it in place. Only for the holder of the build lock. Throws `image-build-failed`, `host-disk-full`. */
export async function makeImage(wanted: WantedImage, options: MakeImageOptions): Promise<Image> {
  const { images, runner, report } = options;
  const building = newBuildFolder(images, wanted.name);
  const log = await BuildLog.create(options.log);
  let current: string = steps[0];
  const begin = (step: (typeof steps)[number]) => {
    current = step;
    log.write(`== ${step}`);
    report({ step, done: steps.indexOf(step), total: steps.length });
  };
  const onLine = (line: string) => {
    log.write(line);
    report({ step: current, done: steps.findIndex((step) => step === current), total: steps.length, line });
  };
  try {
    await mkdir(building);
    const kernelVersion =
      (await reuseRoot(wanted, images, building)) ??
      (await buildRoot(wanted, options, building, onLine, begin)).kernelVersion;
    begin('initramfs');
    const at = (file: string) => path.join(building, file);
    await makeInitramfs(
      runner,
      { agent: wanted.agent.bytes, modulesArchive: at(imageFiles.modules), workDirectory: building },
      at(imageFiles.initramfs),
    );
    begin('finish');
    await writeManifest(building, wanted, kernelVersion);
    await publish(images, wanted.name, building);
    report({ step: 'done', done: steps.length, total: steps.length });
    return await readImage(images, wanted.name);
  } catch (error) {
    await salvagePackages(building, options.packageCache).catch(() => undefined);
    await rm(building, { recursive: true, force: true });
    throw buildFailure(error, { image: wanted.name, step: current, log: log.path, lines: log.lastLines });
  } finally {
    await log.close();
  }
}

async function buildRoot(
  wanted: WantedImage,
  options: MakeImageOptions,
  building: string,
  onLine: (line: string) => void,
  onStep: (step: (typeof rootSteps)[number]) => void,
): Promise<{ kernelVersion: string }> {
  const { plan, host } = wanted;
  return options.rootBuilder.build({
    plan,
    host,
    directory: building,
    packageCache: options.packageCache,
    onLine,
    onStep,
  });
}

/** Takes root disk, kernel and modules of the present image when only the agent is another. Gives the kernel's version. */
async function reuseRoot(wanted: WantedImage, images: string, building: string): Promise<string | undefined> {
  if (wanted.rebuild) return undefined;
  const present = await readImage(images, wanted.name).catch(() => undefined);
  if (present?.manifest.rootDigest !== wanted.plan.rootDigest) return undefined;
  for (const file of [imageFiles.rootDisk, imageFiles.kernel, imageFiles.modules]) {
    await link(path.join(present.directory, file), path.join(building, file));
  }
  return present.manifest.kernelVersion;
}

async function writeManifest(building: string, wanted: WantedImage, kernelVersion: string): Promise<void> {
  const { plan, agent } = wanted;
  const fileSizesBytes: Record<string, number> = {};
  let storedBytes = 0;
  for (const file of Object.values(imageFiles)) {
    const target = path.join(building, file);
    await chmod(target, 0o644); // the VMM's own user reads them
    const stats = await stat(target);
    fileSizesBytes[file] = stats.size;
    storedBytes += stats.blocks * 512;
  }
  const facts: Omit<ImageManifest, 'digest'> = {
    formatVersion: 1,
    name: wanted.name,
    suite: plan.suite.name,
    architecture: 'amd64',
    include: [...wanted.include],
    requestDigest: plan.requestDigest,
    rootDigest: plan.rootDigest,
    recipeDigest: wanted.recipeDigest,
    kernelVersion,
    agentBuild: agent.build,
    agentProtocol: agentProtocolVersion,
    diskMiB: plan.recipe.diskMiB,
    storedMiB: Math.ceil(storedBytes / 1024 / 1024),
    minMemoryMiB: plan.suite.minMemoryMiB,
    kernelArguments: plan.recipe.kernelArguments,
    createdAt: new Date().toISOString(),
    files: imageFiles,
    fileSizesBytes,
  };
  const manifest = { ...facts, digest: digestOf({ facts, build: randomUUID() }) } satisfies ImageManifest;
  await rm(path.join(building, scratchName), { recursive: true, force: true });
  await chmod(building, 0o755);
  await writeFile(path.join(building, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o644 });
}
