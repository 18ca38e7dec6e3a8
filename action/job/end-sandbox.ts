import { setOutput } from '@actions/core';
import path from 'node:path';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { isOffshootError } from '../../hostd/errors/offshoot-error.ts';
import { explain, warn } from '../annotations.ts';
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

/** The end of a sandbox that no later step uses: kept if asked for, artifacts brought back, destroyed, summed up. */
export async function endSandbox(job: Job, host: string, sandbox: Sandbox, outcome: Outcome): Promise<void> {
  const { inputs, context, state, timings, cancellation } = job;
  // who has just been waited for in vain is not asked for more
  const answers = !('error' in outcome) || !isLost(outcome.error);
  const kept = answers && hasFailed(outcome) ? await keep(job, host, sandbox) : undefined;
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
    return;
  }
  state.destroyed = true;
  saveJobState(state);
  if (end.found === 'never-made') return;
  await writeSummary({
    sandbox: end.info,
    outcome: describe(outcome),
    timings: timings.toJSON(),
    kept,
    snapshot: job.saved,
  });
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

function describe(outcome: Outcome): string | undefined {
  if ('error' in outcome) return explain(outcome.error).title;
  if (outcome.verdict === undefined) return undefined;
  return outcome.verdict.ok ? 'succeeded' : outcome.verdict.message;
}

function isLost(error: unknown): boolean {
  return isOffshootError(error) && ['host-unreachable', 'sandbox-gone', 'guest-unresponsive'].includes(error.code);
}
