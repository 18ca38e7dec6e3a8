import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { processIdentitySchema, type ProcessIdentity } from '../../hostd/platform/process-identity.ts';

/** Where hosts of jobs have their state: not in the runner's temporary folder, which the runner empties as its own user. */
export const localRoot = '/var/lib/offshoot-local';

/** Names all that a host of one job is or makes; plain JSON, known before anything is made. */
export const localPlanSchema = z.object({
  version: z.literal(1),
  /** Folder of hostd's state, of root. Its parent holds the state of other jobs' hosts. */
  stateFolder: z.string().startsWith('/'),
  /** Files of the runner's user: log, configuration, the image on its way to and from the cache. */
  workFolder: z.string().startsWith('/'),
  /** Where the cache's library finds and puts the image; the same path in every run, for the path is part of a cache entry. */
  cacheFolder: z.string().startsWith('/'),
  image: z.string(),
  /** The runner's process of this job: when it is gone, nobody needs the host any more. */
  owner: processIdentitySchema.optional(),
});
export type LocalPlan = z.output<typeof localPlanSchema>;

export interface PlanFiles {
  socket: string;
  host: string;
  config: string;
  /** The plan itself, for those who clean up after a runner that died. */
  plan: string;
  pid: string;
  log: string;
  /** Written when hostd ends: its exit code. */
  exit: string;
  /** Key under which the image is to be saved. */
  imageKey: string;
}

export function planFiles({ stateFolder, workFolder }: LocalPlan): PlanFiles {
  const socket = path.join(stateFolder, 'hostd.sock');
  return {
    socket,
    host: `unix:${socket}`,
    config: path.join(stateFolder, 'hostd.json'),
    plan: path.join(stateFolder, 'plan.json'),
    pid: path.join(stateFolder, 'hostd.pid'),
    log: path.join(workFolder, 'hostd.log'),
    exit: path.join(workFolder, 'hostd.exit'),
    imageKey: path.join(workFolder, 'image-key'),
  };
}

export function makePlan(options: {
  tempFolder: string;
  image: string;
  owner: ProcessIdentity | undefined;
  root?: string;
}): LocalPlan {
  const name = randomBytes(5).toString('hex');
  return {
    version: 1,
    stateFolder: path.join(options.root ?? localRoot, name),
    workFolder: path.join(options.tempFolder, `offshoot-host-${name}`),
    cacheFolder: path.join(options.tempFolder, 'offshoot-image'),
    image: options.image,
    ...(options.owner === undefined ? {} : { owner: options.owner }),
  };
}
