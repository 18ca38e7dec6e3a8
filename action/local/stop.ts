import { rm, stat } from 'node:fs/promises';
import { Sandbox } from '../../hostd/client/sandbox.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { daemonOf, endDaemon, exitCodeOf, launchDaemon, whenReady } from './daemon.ts';
import { saveNotedImage } from './image.ts';
import { planFiles, type LocalPlan } from './plan.ts';
import { removeRemains } from './remains.ts';
import { releaseNetwork } from './reserve.ts';
import { lastLine, type Root } from './root.ts';

const restartTimeoutMs = 20_000;
const sandboxesTimeoutMs = 20_000;

/** What was there of a host when it was stopped. */
export interface StopReport {
  /** `dead`: hostd had ended before, by a crash or a kill. */
  found: 'running' | 'dead' | 'nothing';
  /** Sandboxes that were still there. */
  sandboxes: number;
  /** What an orderly end would not have left. */
  remains: string[];
  imageSaved: boolean;
}

/**
 * Ends sandboxes, then hostd, and removes all the plan names. Idempotent and bounded: about a minute, and what the cache takes to save an
 * image that was built. Throws `local-host-failed` when something can not be removed.
 */
export async function stopHost(
  root: Root,
  plan: LocalPlan,
  distFolder: string,
  log: (line: string) => void,
): Promise<StopReport> {
  const report: StopReport = { found: 'nothing', sandboxes: 0, remains: [], imageSaved: false };
  if ((await stat(plan.stateFolder).catch(() => undefined)) !== undefined) {
    report.found = (await daemonOf(plan)) === undefined ? 'dead' : 'running';
    if (report.found === 'dead') await revive(root, plan, distFolder, log);
    const daemon = await daemonOf(plan);
    if (daemon !== undefined) {
      report.sandboxes = await endSandboxes(plan, log);
      await endDaemon(root, daemon);
    }
    report.remains = await removeRemains(root, plan);
    report.imageSaved = await saveNotedImage(root, plan, log);
    await removeState(root, plan);
  }
  await releaseNetwork(root, plan.stateFolder);
  for (const folder of [plan.workFolder, plan.cacheFolder]) await rm(folder, { recursive: true, force: true });
  return report;
}

/** Only a hostd knows all of its sandboxes: one is started again to end them. */
async function revive(root: Root, plan: LocalPlan, distFolder: string, log: (line: string) => void): Promise<void> {
  if ((await stat(`${plan.stateFolder}/hostd.db`).catch(() => undefined)) === undefined) return; // it never got so far
  const exitCode = await exitCodeOf(plan);
  const how = exitCode === undefined ? 'was killed' : `had ended with exit code ${exitCode}`;
  log(`The host of this job ${how}; it is started once more to clean up.`);
  try {
    await launchDaemon(root, plan, distFolder);
    await whenReady(plan, log, { timeoutMs: restartTimeoutMs });
  } catch (error) {
    log(`It could not be started: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function endSandboxes(plan: LocalPlan, log: (line: string) => void): Promise<number> {
  const connection = { host: planFiles(plan).host, requestTimeoutMs: sandboxesTimeoutMs, reconnectTimeoutMs: 0 };
  try {
    const sandboxes = await Sandbox.list({ connection });
    const live = sandboxes.filter(({ state }) => state !== 'gone');
    const ends = await Promise.allSettled(live.map(({ id }) => endSandbox(id, connection)));
    for (const end of ends) if (end.status === 'rejected') log(`A sandbox did not end: ${String(end.reason)}`);
    return live.length;
  } catch (error) {
    log(`The sandboxes could not be asked to end: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
}

async function endSandbox(id: string, connection: { host: string }): Promise<void> {
  const sandbox = await Sandbox.connect(id, connection);
  try {
    await sandbox.stop();
  } finally {
    await sandbox.disconnect();
  }
}

async function removeState(root: Root, { stateFolder }: LocalPlan): Promise<void> {
  // a mount in it is somebody else's files
  const { code, stderr } = await root.run('rm', ['-rf', '--one-file-system', stateFolder], { timeoutMs: 60_000 });
  if (code === 0) return;
  throw new OffshootError('local-host-failed', {
    message: `The state of this job's host could not be removed: ${lastLine(stderr)}`,
    hint: `Remove it by hand: sudo rm -rf ${stateFolder}`,
  });
}
