import { setOutput } from '@actions/core';
import path from 'node:path';
import { ulid } from 'ulid';
import { keepLease } from '../../hostd/client/keep-lease.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { Stopwatch } from '../../hostd/platform/stopwatch.ts';
import { tell, tellFailure } from '../annotations.ts';
import { checkArtifactGlobs } from '../artifacts/artifact-globs.ts';
import { Cancellation } from '../cancellation.ts';
import { readContext } from '../context.ts';
import { takeReport } from '../egress/take-report.ts';
import { namedValues } from '../guest-env/env-input.ts';
import { readInputs } from '../inputs.ts';
import { saveJobState, type JobState } from '../job-state.ts';
import { refuseUnsafeTriggers, refuseUnservedHosts } from '../refusals.ts';
import { say } from '../say.ts';
import { placeScript, type PlacedScript } from '../step/guest-step.ts';
import { tearDown } from '../teardown.ts';
import { createSandbox, leaseSeconds } from './create-sandbox.ts';
import { endSandbox } from './end-sandbox.ts';
import { furnish } from './furnish.ts';
import type { Job } from './job.ts';
import { openHost } from './job-host.ts';
import { checkSnapshotName, saveSnapshot } from './keep.ts';
import { openSession } from './open-session.ts';
import { runInput } from './run-inputs.ts';
import type { ScriptSession } from './script.ts';
import { renderTimings } from './timings.ts';
import type { Verdict } from './verdict.ts';

/** While the runner's patience lasts; post tries longer. */
const cancelledTeardown = { patienceMs: 5_000, requestTimeoutMs: 4_000 };

/** The action's main step; returns its exit code. Everything that fails is told as an annotation. */
export async function mainJob(): Promise<number> {
  const cancellation = new Cancellation();
  try {
    const inputs = readInputs();
    checkArtifactGlobs(inputs.artifacts);
    const named = namedValues(inputs.env);
    const context = readContext();
    refuseUnsafeTriggers(context.trigger, inputs.host, inputs['allow-unsafe-fork-code']);
    refuseUnservedHosts(inputs.host);
    // post has to know the sandbox before there is one
    const state: JobState = {
      sandboxId: `sbx_${ulid()}`,
      failOnEgressDenied: inputs['fail-on-egress-denied'],
      destroyed: false,
    };
    if (inputs.host !== 'local') state.host = inputs.host;
    saveJobState(state);
    return await work({ inputs, named, context, state, timings: new Stopwatch(), cancellation });
  } catch (error) {
    await cancellation.settled();
    if (cancellation.cancelled) tell('warning', 'Offshoot', 'Cancelled.');
    else tellFailure(error);
    return 1;
  }
}

async function work(job: Job): Promise<number> {
  const { inputs, context, state, timings, cancellation } = job;
  const { signal } = cancellation;
  const host = await openHost(inputs, state, context.tempFolder, signal);
  timings.lap();
  state.host = host;
  saveJobState(state);
  cancellation.onCancel(() => tearDown(host, state.sandboxId, cancelledTeardown));
  const sandbox = await createSandbox(state.sandboxId, host, inputs, context, timings, signal).catch(
    async (error: unknown) => {
      await tearDown(host, state.sandboxId, cancelledTeardown);
      throw error;
    },
  );
  setOutput('sandbox-id', sandbox.id);
  const lease = keepLease(sandbox, leaseSeconds);
  try {
    return await useSandbox(job, host, sandbox);
  } catch (error) {
    if (!cancellation.cancelled) await endSandbox(job, host, sandbox, { error });
    throw error;
  } finally {
    lease.stop();
    await cancellation.settled();
    await sandbox.disconnect();
  }
}

async function useSandbox(job: Job, host: string, sandbox: Sandbox): Promise<number> {
  const { inputs, context, timings } = job;
  const { signal } = job.cancellation;
  const { workspace } = context;
  const saveAs = inputs['save-snapshot'];
  const place = (text: string): Promise<PlacedScript> | undefined =>
    text.trim() === '' ? undefined : placeScript(sandbox, text, inputs.shell, signal);
  const [prepareScript, runScript] = await Promise.all([
    place(inputs.prepare),
    place(inputs.run),
    furnish(sandbox, { workspace, sync: inputs.sync, syncExclude: inputs['sync-exclude'], signal }),
    saveAs === undefined ? undefined : checkSnapshotName(host, saveAs),
  ]);
  timings.lap('synced');
  const session: ScriptSession = {
    workspace,
    env: inputs.env,
    named: job.named,
    artifactsFolder: path.join(workspace, inputs['artifacts-dir']),
    pathEntries: [],
    envEntries: [],
  };
  let verdict: Verdict | undefined;
  if (prepareScript !== undefined) verdict = await runInput(job, sandbox, session, 'prepare', prepareScript);
  if (verdict?.ok !== false && saveAs !== undefined) {
    await saveSnapshot(sandbox, host, saveAs);
    job.saved = saveAs;
    setOutput('snapshot-id', saveAs);
    say(`saved as snapshot ${saveAs}`);
    timings.lap('saved');
  }
  if (verdict?.ok !== false && runScript !== undefined)
    verdict = await runInput(job, sandbox, session, 'run', runScript);
  if (verdict !== undefined) setOutput('exit-code', verdict.exitCode);
  if (verdict?.ok !== false && runScript === undefined && (prepareScript === undefined || (await mayGoOn(job, host)))) {
    await openSession(job, host, sandbox, session);
    setOutput('timings', renderTimings(timings));
    return 0;
  }
  const passed = await endSandbox(job, host, sandbox, { verdict });
  return verdict?.ok === false || !passed ? 1 : 0;
}

/** Whether later steps may use a sandbox whose `prepare` has run: not when `prepare` was denied something that fails the step. */
async function mayGoOn({ inputs, state }: Job, host: string): Promise<boolean> {
  if (!inputs['fail-on-egress-denied']) return true;
  const taken = await takeReport(host, state.sandboxId);
  return 'report' in taken && taken.report.deniedCount === 0;
}
