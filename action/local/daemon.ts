import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostClient } from '../../hostd/client/host-client.ts';
import type { HostInfo } from '../../hostd/contract/host.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../hostd/platform/process-identity.ts';
import { planFiles, type LocalPlan } from './plan.ts';
import type { Root } from './root.ts';

const readyTimeoutMs = 60_000;
const pollMs = 50;
const shownLogLines = 30;
/** How long a hostd that was asked to end may take; it gives work under way ten seconds. */
const endTimeoutMs = 15_000;

/** Keeps hostd's output and, for whoever finds it gone, its exit code. Holds nothing of the step open. */
const keeper = 'log=$1 exit=$2; shift 2; cd /; exec </dev/null >>"$log" 2>&1; "$@"; echo $? >"$exit"';

/** Starts the bundled hostd as root, apart from this process, on the node that runs this. Its configuration has to be in place. */
export async function launchDaemon(root: Root, plan: LocalPlan, distFolder: string): Promise<void> {
  const files = planFiles(plan);
  await mkdir(plan.workFolder, { recursive: true, mode: 0o700 });
  await writeFile(files.log, '', { flag: 'a', mode: 0o600 });
  await rm(files.exit, { force: true });
  const node = [process.execPath, '--max-semi-space-size=2', '--disable-warning=ExperimentalWarning'];
  const settings = ['--state', plan.stateFolder, '--listen', files.host, '--config', files.config];
  const hostd = [...node, path.join(distFolder, 'offshoot.mjs'), 'hostd', ...settings];
  const kept = ['sh', '-c', keeper, 'offshoot-local', files.log, files.exit, ...hostd];
  await root.mustRun('Starting hostd', 'setsid', ['--fork', ...kept]);
}

/** Waits until hostd answers. Throws `local-host-failed`, having logged the end of its log. */
export async function whenReady(
  plan: LocalPlan,
  log: (line: string) => void,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<HostInfo> {
  const { signal, timeoutMs = readyTimeoutMs } = options;
  const files = planFiles(plan);
  await using client = new HostClient({ host: files.host, requestTimeoutMs: 5_000 });
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const info = await client.info().catch(() => undefined);
    if (info !== undefined) return info;
    const exitCode = await exitCodeOf(plan);
    if (exitCode !== undefined || performance.now() > deadlineMs) {
      for (const line of await lastLogLines(plan)) log(`hostd: ${line}`);
      const how =
        exitCode === undefined
          ? `did not answer within ${String(timeoutMs / 1000)} s`
          : `ended with exit code ${exitCode}`;
      throw new OffshootError('local-host-failed', { message: `The host of this job ${how} when it was started.` });
    }
    await sleep(pollMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** The live hostd of this state folder. */
export async function daemonOf(plan: LocalPlan): Promise<ProcessIdentity | undefined> {
  const pid = Number(await readFile(planFiles(plan).pid, 'utf8').catch(() => ''));
  const identity = pid > 0 ? await identifyProcess(pid) : undefined;
  if (identity === undefined) return undefined;
  // a later process may have got the number
  const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0').includes(plan.stateFolder) ? identity : undefined;
}

/** Ends hostd, gracefully first. What it leaves running is the caller's. Returns false when it had to be killed. */
export async function endDaemon(root: Root, daemon: ProcessIdentity): Promise<boolean> {
  for (const signal of ['TERM', 'KILL']) {
    await root.run('kill', [`-${signal}`, String(daemon.pid)]);
    const deadlineMs = performance.now() + endTimeoutMs;
    while ((await isAlive(daemon)) && performance.now() < deadlineMs) await sleep(pollMs);
    if (!(await isAlive(daemon))) return signal === 'TERM';
  }
  throw new OffshootError('local-host-failed', {
    message: `hostd (process ${String(daemon.pid)}) does not end, not even by SIGKILL.`,
    hint: 'The machine may hang on a disk; look at it.',
  });
}

/** Undefined while it runs, or when it and its keeper were killed. */
export async function exitCodeOf(plan: LocalPlan): Promise<string | undefined> {
  const text = await readFile(planFiles(plan).exit, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}

async function lastLogLines(plan: LocalPlan): Promise<string[]> {
  const text = await readFile(planFiles(plan).log, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-shownLogLines);
}
