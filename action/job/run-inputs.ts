import { endGroup, startGroup } from '@actions/core';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { tell } from '../annotations.ts';
import { actionOutputs } from '../file-commands/merge.ts';
import type { PlacedScript } from '../step/guest-step.ts';
import type { Job } from './job.ts';
import { runScript, type ScriptSession } from './script.ts';
import { judge, type Verdict } from './verdict.ts';

/** What the action's own part of the summary may take; the runner drops one over 1 MiB whole. */
const ownSummaryBytes = 65_536;

/** Runs the script of the input `prepare` or `run`, which is in the guest already. */
export async function runInput(
  job: Job,
  sandbox: Sandbox,
  session: ScriptSession,
  name: 'prepare' | 'run',
  script: PlacedScript,
): Promise<Verdict> {
  const { inputs, timings, cancellation } = job;
  const timeoutMs = Math.round(inputs['timeout-minutes'] * 60_000);
  if (name === 'prepare') startGroup('prepare');
  const exec = await runScript(sandbox, session, {
    script,
    workingDirectory: inputs['working-directory'],
    timeoutMs,
    reservedOutputs: actionOutputs,
    summaryReserveBytes: ownSummaryBytes,
    signal: cancellation.signal,
    onSignal: 'leave',
    ...(name === 'run'
      ? {
          onFirstOutput: () => {
            timings.lap('first output');
          },
        }
      : {}),
  }).finally(() => {
    if (name === 'prepare') endGroup();
  });
  timings.lap(name === 'run' ? 'done' : 'prepared');
  const verdict = await judge(name, exec, sandbox, timeoutMs);
  if (!verdict.ok) tell('error', verdict.title, verdict.message);
  return verdict;
}
