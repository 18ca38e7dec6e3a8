import { endGroup, info, setOutput, startGroup } from '@actions/core';
import path from 'node:path';
import { ulid } from 'ulid';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { tell, tellFailure, warn } from '../annotations.ts';
import { Cancellation } from '../cancellation.ts';
import { actionOutputs } from '../file-commands/merge.ts';
import { readContext, type JobContext } from '../context.ts';
import { namedValues } from '../guest-env/env-input.ts';
import { readInputs, type Inputs } from '../inputs.ts';
import { saveJobState, type JobState } from '../job-state.ts';
import { refuseUnsafeTriggers } from '../refusals.ts';
import { placeScript, type PlacedScript } from '../step/guest-step.ts';
import { tearDown } from '../teardown.ts';
import { bringBack } from './bring-back.ts';
import { createSandbox, leaseSeconds } from './create-sandbox.ts';
import { furnish } from './furnish.ts';
import { openHost } from './job-host.ts';
import { keepSandbox, saveSnapshot, type Kept } from './keep.ts';
import { openSession } from './open-session.ts';
import { runScript as runPlaced, type ScriptSession } from './script.ts';
import { writeSummary } from './summary.ts';
import { Timings } from './timings.ts';
import { judge, type Verdict } from './verdict.ts';

/** While the runner's patience lasts; post tries longer. */
const cancelledTeardown = { patienceMs: 5_000, requestTimeoutMs: 4_000 };

/** What the action's own part of the summary may take; the runner drops one over 1 MiB whole. */
const ownSummaryBytes = 65_536;

interface Job {
  inputs: Inputs;
  /** What the names in the `env` input stand for. */
  named: Record<string, string>;
  context: JobContext;
  state: JobState;
  timings: Timings;
  cancellation: Cancellation;
}

/** The action's main step; returns its exit code. Everything that fails is told as an annotation. */
export async function mainJob(): Promise<number> {
  const cancellation = new Cancellation();
  try {
    const inputs = readInputs();
    const named = namedValues(inputs.env);
    const context = readContext();
    refuseUnsafeTriggers(context.trigger, inputs.host, inputs['allow-unsafe-fork-code']);
    // post has to know the sandbox before there is one
    const state: JobState = { sandboxId: `sbx_${ulid()}`, destroyed: false };
    if (inputs.host !== 'local') state.host = inputs.host;
    saveJobState(state);
    setOutput('sandbox-id', state.sandboxId);
    return await work({ inputs, named, context, state, timings: new Timings(), cancellation });
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
  timings.restart();
  state.host = host;
  saveJobState(state);
  cancellation.onCancel(() => tearDown(host, state.sandboxId, cancelledTeardown));
  const sandbox = await createSandbox(state.sandboxId, host, inputs, context, timings, signal).catch(
    async (error: unknown) => {
      await tearDown(host, state.sandboxId, cancelledTeardown);
      throw error;
    },
  );
  const renewal = setInterval(() => void sandbox.renew(leaseSeconds).catch(() => undefined), leaseSeconds * 250);
  try {
    return await useSandbox(job, host, sandbox);
  } catch (error) {
    if (!cancellation.cancelled) await keepOrDestroy(job, host, sandbox, undefined);
    throw error;
  } finally {
    clearInterval(renewal);
    await cancellation.settled();
    await sandbox.disconnect();
  }
}

async function useSandbox(job: Job, host: string, sandbox: Sandbox): Promise<number> {
  const { inputs, context, state, timings, cancellation } = job;
  const { signal } = cancellation;
  const { workspace } = context;
  const place = (text: string): Promise<PlacedScript> | undefined =>
    text.trim() === '' ? undefined : placeScript(sandbox, text, inputs.shell, signal);
  const [prepareScript, runScript] = await Promise.all([
    place(inputs.prepare),
    place(inputs.run),
    furnish(sandbox, { workspace, sync: inputs.sync, syncExclude: inputs['sync-exclude'], signal }),
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
  let verdict = await script(job, sandbox, session, 'prepare', prepareScript);
  if (verdict?.ok !== false && inputs['save-snapshot'] !== undefined) {
    await saveSnapshot(sandbox, host, inputs['save-snapshot']);
    setOutput('snapshot-id', inputs['save-snapshot']);
    info(`saved as snapshot ${inputs['save-snapshot']}`);
    timings.lap('saved');
  }
  if (verdict?.ok !== false) verdict = (await script(job, sandbox, session, 'run', runScript)) ?? verdict;
  setOutput('exit-code', verdict?.exitCode ?? 0);
  if (verdict?.ok !== false && runScript === undefined) {
    await openSession(inputs, context, state, sandbox, host, session, timings);
    setOutput('timings', JSON.stringify(timings));
    return 0;
  }
  await keepOrDestroy(job, host, sandbox, verdict);
  return verdict?.ok === false ? 1 : 0;
}

async function script(
  job: Job,
  sandbox: Sandbox,
  session: ScriptSession,
  name: 'prepare' | 'run',
  placed: PlacedScript | undefined,
): Promise<Verdict | undefined> {
  const { inputs, timings, cancellation } = job;
  if (placed === undefined) return undefined;
  const timeoutMs = Math.round(inputs['timeout-minutes'] * 60_000);
  if (name === 'prepare') startGroup('prepare');
  try {
    const exec = await runPlaced(sandbox, session, {
      script: placed,
      workingDirectory: inputs['working-directory'],
      timeoutMs,
      reservedOutputs: actionOutputs,
      summaryReserveBytes: ownSummaryBytes,
      signal: cancellation.signal,
      ...(name === 'run'
        ? {
            onFirstOutput: () => {
              timings.lap('first output');
            },
          }
        : {}),
    });
    timings.lap(name === 'run' ? 'done' : 'prepared');
    const verdict = await judge(name, exec, sandbox, timeoutMs);
    if (!verdict.ok) tell('error', verdict.title, verdict.message);
    return verdict;
  } finally {
    if (name === 'prepare') endGroup();
  }
}

/** The end of a sandbox that no later step uses: kept if asked for, artifacts brought back, destroyed, summed up. */
async function keepOrDestroy(job: Job, host: string, sandbox: Sandbox, verdict: Verdict | undefined): Promise<void> {
  const { inputs, context, state, timings, cancellation } = job;
  const { signal } = cancellation;
  let kept: Kept | undefined;
  if (verdict?.ok !== true && inputs['keep-on-failure'] > 0) {
    kept = await keepSandbox(sandbox, host, inputs['keep-on-failure']);
    if (kept !== undefined) {
      setOutput('snapshot-id', kept.snapshot);
      info(`kept for ${String(kept.minutes)} minutes: ${kept.command}`);
    }
    timings.lap('kept');
  }
  await bringBack(sandbox, {
    globs: inputs.artifacts,
    workspace: context.workspace,
    into: path.join(context.workspace, inputs['artifacts-dir']),
    signal,
  });
  if (inputs.artifacts.length > 0) timings.lap('brought back');
  const end = await tearDown(host, state.sandboxId);
  timings.lap('destroyed');
  setOutput('timings', JSON.stringify(timings));
  if (end.found === 'unknown') {
    warn(`${sandbox.id} could not be destroyed; its lease ends it within ${String(leaseSeconds)} s.`);
    return;
  }
  state.destroyed = true;
  saveJobState(state);
  if (end.found === 'never-made') return;
  const snapshot = inputs['save-snapshot'];
  await writeSummary({ sandbox: end.info, exitCode: verdict?.exitCode, timings: timings.toJSON(), kept, snapshot });
}
