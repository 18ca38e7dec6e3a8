import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packImage } from '../../action/local/image-archive.ts';
import { openImageCache } from '../../action/local/image-cache.ts';
import { imageKey } from '../../action/local/image.ts';
import { makePlan } from '../../action/local/plan.ts';
import { Root } from '../../action/local/root.ts';
import { CacheService } from '../doubles/actions-cache/cache-service.ts';
import { sharedState } from '../support/shared-image.ts';

export interface SeededCache {
  /** What a job needs to know of it. */
  environment: Record<string, string>;
  service: CacheService;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A cache of Actions that holds the image `default` as an earlier job with this bundle would have left it. */
export async function seededCache(bundle: string): Promise<SeededCache> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-seeded-'));
  const service = await CacheService.start(path.join(folder, 'stored'));
  // act makes both anew for every job, in this relation
  const [workspace, tempFolder] = [path.join(folder, 'hostexecutor'), path.join(folder, 'tmp')];
  await Promise.all([workspace, tempFolder].map((each) => mkdir(each)));
  service.anyVersion = true;
  await inEnvironment({ ...service.environment, GITHUB_WORKSPACE: workspace, RUNNER_TEMP: tempFolder }, async () => {
    const root = new Root();
    const plan = makePlan({ tempFolder, image: 'default', owner: undefined });
    await packImage(root, path.join(await sharedState(), 'images/default'), plan.cacheFolder);
    const cache = await openImageCache(() => undefined);
    if ((await cache?.save(plan.cacheFolder, await imageKey(root, plan, bundle))) !== true)
      throw new Error('not saved');
    await rm(plan.cacheFolder, { recursive: true });
    service.calls.length = 0;
  });
  return {
    environment: service.environment,
    service,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The cache's library looks into the environment of the process. */
async function inEnvironment(values: Record<string, string>, work: () => Promise<void>): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, values);
  try {
    await work();
  } finally {
    for (const name of Object.keys(values)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
}
