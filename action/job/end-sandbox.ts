import { setOutput } from '@actions/core';
import path from 'node:path';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { isOffshootError } from '../../hostd/errors/offshoot-error.ts';
import { explain, warn } from '../annotations.ts';
import { putOut } from '../egress/report-file.ts';
import { takeReport, type TakenReport } from '../egress/take-report.ts';
import { tellDenials } from '../egress/tell-denials.ts';
import { saveJobState } from '../job-state.ts';
import { say } from '../say.ts';
import { tearDown } from '../teardown.ts';
import { bringBack } from './bring-back.ts';
import { leaseSeconds } from './create-sandbox.ts';
import type { Job } from './job.ts';
import { keepSandbox, type Kept } from './keep.ts';
import { writeSummary } from './summary.ts';
import { renderTimings } from './timings.ts';
import type { Verdict } from './verdict.ts';

/** What came of the job's scripts; undefined when none ran. */
export type Outcome = { verdict: Verdict | undefined } | { error: unknown };

/**
 * The end of a sandbox that no later step uses: kept if asked for, artifacts brought back, destroyed, summed up. False when what it was
 * denied fails the step.
 */
export async function endSandbox(job: Job, host: string, sandbox: Sandbox, outcome: Outcome): Promise<boolean> {
  const { inputs, context, state, timings, cancellation } = job;
  // who has just been waited for in vain is not asked for more
  const answers = !('error' in outcome) || !isLost(outcome.error);
  const egress = await reportEgress(job, host, outcome);
  timings.lap();
  const failed = hasFailed(outcome) || egress.failure !== undefined;
  const kept = answers && failed ? await keep(job, host, sandbox) : undefined;
  if (answers && inputs.artifacts.length > 0) {
    await bringBack(sandbox, {
      globs: inputs.artifacts,
      workspace: context.workspace,
      into: path.join(context.workspace, inputs['artifacts-dir']),
      signal: cancellation.signal,
    });
    timings.lap('brought back');
  }
  timings.lap();
  const end = await tearDown(host, state.sandboxId);
  timings.lap('destroyed');
  setOutput('timings', renderTimings(timings));
  if (end.found === 'unknown') {
    warn(
      `${sandbox.id} could not be destroyed: ${explain(end.error).message}\nIts lease ends it within ${String(leaseSeconds)} s.`,
    );
    return egress.failure === undefined;
  }
  state.destroyed = true;
  saveJobState(state);
  if (end.found !== 'never-made') {
    await writeSummary({
      sandbox: end.info,
      outcome: describe(outcome, egress.failure),
      timings: timings.toJSON(),
      kept,
      snapshot: job.saved,
      egress: egress.taken,
    });
  }
  return egress.failure === undefined;
}

/** What the sandbox reached and was denied until now; with what of it fails the step. */
async function reportEgress(
  { inputs, context, state }: Job,
  host: string,
  outcome: Outcome,
): Promise<{ taken: TakenReport; failure: string | undefined }> {
  const away = 'error' in outcome && isOffshootError(outcome.error) && outcome.error.code === 'host-unreachable';
  const taken = away ? { missing: 'the host is away' } : await takeReport(host, state.sandboxId);
  await putOut(taken, context.tempFolder, state.sandboxId);
  return { taken, failure: tellDenials(taken, { fail: inputs['fail-on-egress-denied'] }) };
}

async function keep({ inputs, timings }: Job, host: string, sandbox: Sandbox): Promise<Kept | undefined> {
  if (inputs['keep-on-failure'] === 0) return undefined;
  timings.lap();
  const kept = await keepSandbox(sandbox, host, inputs['keep-on-failure']);
  timings.lap('kept');
  if (kept === undefined) return undefined;
  setOutput('snapshot-id', kept.snapshot);
  say(`kept for ${String(kept.minutes)} minutes: ${kept.command}`);
  return kept;
}

function hasFailed(outcome: Outcome): boolean {
  return 'error' in outcome || outcome.verdict?.ok === false;
}

function describe(outcome: Outcome, egressFailure: string | undefined): string | undefined {
  if ('error' in outcome) return explain(outcome.error).title;
  if (outcome.verdict?.ok === false) return outcome.verdict.message;
  return egressFailure ?? (outcome.verdict === undefined ? undefined : 'succeeded');
}

function isLost(error: unknown): boolean {
  return isOffshootError(error) && ['host-unreachable', 'sandbox-gone', 'guest-unresponsive'].includes(error.code);
}
