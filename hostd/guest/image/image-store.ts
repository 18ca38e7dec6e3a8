import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { systemRunner, type Runner } from '../../platform/run.ts';
import { readAgentBinary } from './agent-binary.ts';
import { lockBuilds } from './build-lock.ts';
import { createRootBuilder, salvagePackages, type RootBuilder } from './build/build-root.ts';
import { planBuild, recipeDigestOf } from './build/plan.ts';
import { checkHost } from './host-tools.ts';
import { readHostConfig, type HostConfig } from './host/host-config.ts';
import { checkImageName, imageNames, readImage, sweepFolders } from './image-folders.ts';
import { makeImage, type WantedImage } from './make-image.ts';
import { renewAgent } from './renew-agent.ts';
import type { BuildProgress, Image, ImageBuildRequest, ImageStore } from './image.ts';

export interface ImageStoreOptions {
  /** Images go to images/, downloaded packages to cache/apt/, build logs to logs/. */
  stateDirectory: string;
  /** The guest agent's binary; the checkout's own when absent. */
  agentPath?: string;
  runner?: Runner;
  /** Replaced in tests. */
  rootBuilder?: RootBuilder;
  hostConfig?: (forGuests: boolean) => Promise<HostConfig>;
  checkHost?: (stateDirectory: string) => Promise<void>;
}

interface RunningBuild {
  recipeDigest: string;
  listeners: Set<(progress: BuildProgress) => void>;
  image: Promise<Image>;
}

/** The images of one state directory. Several processes may use it at once. */
export function createImageStore(options: ImageStoreOptions): ImageStore {
  return new FolderImageStore(options);
}

class FolderImageStore implements ImageStore {
  readonly #options: Required<Omit<ImageStoreOptions, 'agentPath'>> & { agentPath: string | undefined };
  readonly #running = new Map<string, RunningBuild>();
  readonly #images: string;
  readonly #packageCache: string;

  constructor(options: ImageStoreOptions) {
    const runner = options.runner ?? systemRunner;
    this.#options = {
      runner,
      rootBuilder: createRootBuilder(runner),
      hostConfig: (forGuests) => readHostConfig(runner, forGuests),
      checkHost,
      ...options,
      agentPath: options.agentPath,
    };
    this.#images = path.join(options.stateDirectory, 'images');
    this.#packageCache = path.join(options.stateDirectory, 'cache/apt');
  }

  async list(): Promise<Image[]> {
    const images = await Promise.allSettled((await imageNames(this.#images)).map((name) => this.get(name)));
    return images.flatMap((image) => (image.status === 'fulfilled' ? [image.value] : []));
  }

  get(name: string): Promise<Image> {
    return readImage(this.#images, name);
  }

  async current(name: string): Promise<Image> {
    const agent = await readAgentBinary(this.#options.agentPath);
    const image = await this.get(name);
    if (image.manifest.agentBuild === agent.build) return image;
    const lock = await lockBuilds(this.#images);
    try {
      const meanwhile = await this.get(name);
      if (meanwhile.manifest.agentBuild === agent.build) return meanwhile;
      return await renewAgent(meanwhile, agent, { images: this.#images, runner: this.#options.runner });
    } finally {
      lock.release();
    }
  }

  async remove(name: string): Promise<void> {
    checkImageName(name);
    await rm(path.join(this.#images, name), { recursive: true, force: true });
  }

  async build(request: ImageBuildRequest, onProgress: (progress: BuildProgress) => void): Promise<Image> {
    checkImageName(request.name);
    const host = await this.#options.hostConfig(request.hostPackageConfig);
    const plan = await planBuild(request, host);
    const agent = await readAgentBinary(this.#options.agentPath);
    const recipeDigest = recipeDigestOf(plan, agent.digest);
    return this.#share(
      { name: request.name, rebuild: request.rebuild, include: request.include, host, plan, agent, recipeDigest },
      onProgress,
    );
  }

  /** One build per name at a time: a second caller who wants the same joins it. */
  async #share(wanted: WantedImage, onProgress: (progress: BuildProgress) => void): Promise<Image> {
    const running = this.#running.get(wanted.name);
    if (running !== undefined) {
      if (running.recipeDigest !== wanted.recipeDigest)
        throw imageExists(wanted.name, 'is being built with another recipe');
      running.listeners.add(onProgress);
      return running.image;
    }
    const listeners = new Set([onProgress]);
    const report = (progress: BuildProgress) => {
      for (const listener of listeners) listener(progress);
    };
    const image = this.#buildUnlessThere(wanted, report).finally(() => this.#running.delete(wanted.name));
    this.#running.set(wanted.name, { recipeDigest: wanted.recipeDigest, listeners, image });
    return image;
  }

  async #buildUnlessThere(wanted: WantedImage, report: (progress: BuildProgress) => void): Promise<Image> {
    const ready = async () => (wanted.rebuild ? undefined : this.#matching(wanted));
    const early = await ready();
    if (early !== undefined) return early;
    await mkdir(this.#images, { recursive: true });
    const lock = await lockBuilds(this.#images, () => {
      report({ step: 'waiting for another build', done: 0, total: 1 });
    });
    try {
      await sweepFolders(this.#images, (directory) => salvagePackages(directory, this.#packageCache));
      const meanwhile = await ready();
      if (meanwhile !== undefined) return meanwhile;
      await this.#options.checkHost(this.#options.stateDirectory);
      return await makeImage(wanted, {
        images: this.#images,
        packageCache: this.#packageCache,
        log: path.join(this.#options.stateDirectory, 'logs', `image-${wanted.name}.log`),
        runner: this.#options.runner,
        rootBuilder: this.#options.rootBuilder,
        report,
      });
    } finally {
      lock.release();
    }
  }

  /** The image when it is what is wanted; undefined when it has to be made. Throws `image-exists` when it is something else. */
  async #matching(wanted: WantedImage): Promise<Image | undefined> {
    const image = await this.get(wanted.name).catch(() => undefined);
    if (image === undefined) return undefined;
    if (image.manifest.recipeDigest === wanted.recipeDigest) return image;
    if (image.manifest.requestDigest === wanted.plan.requestDigest) return undefined;
    throw imageExists(wanted.name, 'exists and was asked for with another recipe');
  }
}

function imageExists(name: string, how: string): OffshootError {
  return new OffshootError('image-exists', { message: `The image ${name} ${how}.`, details: { image: name } });
}
