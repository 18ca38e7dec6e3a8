import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identifyProcess } from '../../hostd/platform/process-identity.ts';
import { launchDaemon, whenReady } from './daemon.ts';
import { distFolder } from './dist-folder.ts';
import { buildImage, imageKey, noteImageToSave, restoreImage } from './image.ts';
import { describeIsolation, openKvm } from './kvm.ts';
import { localPlanSchema, makePlan, planFiles, type LocalPlan } from './plan.ts';
import { checkBundle, checkMachine, installPackages } from './requirements.ts';
import { reserveNetwork, type Reservation } from './reserve.ts';
import { Root } from './root.ts';
import { stopHost, type StopReport } from './stop.ts';
import { sweepAbandoned } from './sweep.ts';
import { say } from '../say.ts';

export interface LocalHost {
  /** Address for the SDK. */
  host: string;
  isolation: { tier: 'kvm' | 'emulated'; reason: string };
  /** Whether the image came from the cache, and whether it had to be built. */
  image: { restored: boolean; built: boolean };
}

type Log = (line: string) => void;

interface Surroundings {
  signal?: AbortSignal;
  log?: Log;
}

/** What a host for this job will be: plain JSON to save for `stopLocalHost` before anything is made. `tempFolder` is RUNNER_TEMP. */
export async function planLocalHost(options: { tempFolder: string; image: string; root?: string }): Promise<LocalPlan> {
  // a step's parent is the runner's process of the job; 0 and 1 are nobody's that ends
  return makePlan({ ...options, owner: process.ppid > 1 ? await identifyProcess(process.ppid) : undefined });
}

/**
 * Starts the bundled hostd on this runner with an image in place, from the Actions cache or built. Throws `local-host-failed`,
 * `image-build-failed` and what hostd says; whatever it throws, `stopLocalHost` removes what was made.
 */
export async function startLocalHost(plan: LocalPlan, { signal, log = say }: Surroundings = {}): Promise<LocalHost> {
  const aborting = signal === undefined ? {} : { signal };
  checkMachine();
  await checkBundle(distFolder);
  const root = new Root();
  await root.check();
  await installPackages(root, distFolder, log, signal);
  await sweepAbandoned(root, path.dirname(plan.stateFolder), distFolder, log);
  const kvmProblem = await openKvm(root);
  if (kvmProblem !== undefined) log(kvmProblem);
  await makeFolders(root, plan);
  await configure(root, plan, await reserveNetwork(root, plan.stateFolder));
  signal?.throwIfAborted();
  await launchDaemon(root, plan, distFolder);
  const [{ isolation }, { key, restored }] = await Promise.all([
    whenReady(plan, log, aborting),
    findImage(root, plan, log),
  ]);
  signal?.throwIfAborted();
  log(describeIsolation(isolation));
  const built = await buildImage(plan, log, signal);
  if (built) await noteImageToSave(plan, key);
  return { host: planFiles(plan).host, isolation, image: { restored, built } };
}

/** Ends and removes the host of a plan, whatever state it is in, and says what it found. Idempotent. Throws `local-host-failed`. */
export async function stopLocalHost(saved: unknown, { log = say }: Surroundings = {}): Promise<StopReport> {
  const plan = localPlanSchema.parse(saved);
  const report = await stopHost(new Root(), plan, distFolder, log);
  if (report.found === 'nothing') return report;
  const left = report.sandboxes === 0 ? '' : `, with ${String(report.sandboxes)} sandboxes that were still there`;
  log(`The host of this job is stopped and removed${left}.`);
  if (report.remains.length > 0) log(`It had left behind: ${report.remains.join(', ')}.`);
  if (report.imageSaved) log('Its image is in the Actions cache for the next job.');
  return report;
}

async function findImage(root: Root, plan: LocalPlan, log: Log): Promise<{ key: string; restored: boolean }> {
  const key = await imageKey(root, plan, distFolder);
  return { key, restored: await restoreImage(root, plan, key, log) };
}

async function makeFolders(root: Root, plan: LocalPlan): Promise<void> {
  await mkdir(plan.workFolder, { recursive: true, mode: 0o700 });
  await root.mustRun(`Making ${plan.stateFolder}`, 'mkdir', ['-p', '-m', '755', path.dirname(plan.stateFolder)]);
  // passable, so that the runner's user reaches the socket
  await root.mustRun(`Making ${plan.stateFolder}`, 'mkdir', ['-m', '711', plan.stateFolder]);
}

async function configure(root: Root, plan: LocalPlan, { instance, subnet, firstUid }: Reservation): Promise<void> {
  const config = {
    socketGroup: process.getgid?.() ?? 0,
    network: { instance, subnet },
    sandboxes: { spares: 0, uidBase: firstUid, vmmGid: firstUid },
  };
  const files = planFiles(plan);
  for (const [file, content] of [
    [files.config, config],
    [files.plan, plan],
  ] as const) {
    const draft = path.join(plan.workFolder, path.basename(file));
    await writeFile(draft, JSON.stringify(content, null, 2));
    await root.mustRun(`Writing ${file}`, 'install', ['-m', '644', draft, file]);
  }
}
