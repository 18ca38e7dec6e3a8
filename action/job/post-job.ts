import { Sandbox } from '../../hostd/client/sandbox.ts';
import { Stopwatch } from '../../hostd/platform/stopwatch.ts';
import { explain, warn } from '../annotations.ts';
import { Cancellation } from '../cancellation.ts';
import { takeReport, type TakenReport } from '../egress/take-report.ts';
import { tellDenials } from '../egress/tell-denials.ts';
import { signalProcess } from '../../hostd/platform/process-identity.ts';
import type { JobState } from '../job-state.ts';
import { readSession, removeSession, type Session } from '../session.ts';
import { tearDown, type Teardown } from '../teardown.ts';
import { bringBack } from './bring-back.ts';
import { leaseSeconds, reconnectTimeoutMs } from './create-sandbox.ts';
import { writeSummary } from './summary.ts';
import type { Timings } from './timings.ts';
import { say } from '../say.ts';

/**
 * The action's post step: nothing of the job's sandbox is left after it, or it says what is. Returns its exit code: 0, unless what the
 * sandbox was denied since the last step fails the job.
 */
export async function postJob(state: JobState): Promise<number> {
  const egress: EgressEnd = {};
  try {
    await endSandbox(state, egress);
  } catch (error) {
    warn(`The clean-up failed: ${explain(error).message}`);
  } finally {
    if (state.local !== undefined) await endLocalHost(state.local);
  }
  return egress.failure === undefined ? 0 : 1;
}

interface EgressEnd {
  taken?: TakenReport;
  failure?: string | undefined;
}

async function endSandbox(state: JobState, egress: EgressEnd): Promise<void> {
  const { sandboxId, host, sessionFile } = state;
  const session = sessionFile === undefined ? undefined : await sessionOf(sessionFile);
  if (sessionFile !== undefined && host !== undefined && !state.destroyed) {
    egress.taken = await takeReport(host, sandboxId);
    egress.failure = tellDenials(egress.taken, { fail: state.failOnEgressDenied, seen: session?.deniedSeen ?? 0 });
  }
  if (state.heartbeat !== undefined) await signalProcess(state.heartbeat, 'SIGTERM');
  if (host === undefined || state.destroyed) return;
  const timings: Timings = new Stopwatch(session?.timings);
  if (session !== undefined && session.artifacts.length > 0) await bringSessionBack(session, timings);
  timings.lap();
  const end = await tearDown(host, sandboxId);
  timings.lap('destroyed');
  if (sessionFile !== undefined) await removeSession(sessionFile);
  sayWhatWasFound(sandboxId, end, session !== undefined);
  if (session === undefined || end.found === 'unknown' || end.found === 'never-made') return;
  const outcome = session.failure ?? egress.failure ?? 'no step of it failed';
  await writeSummary({
    sandbox: end.info,
    outcome,
    timings: timings.toJSON(),
    kept: session.kept,
    egress: egress.taken,
  });
}

async function sessionOf(file: string): Promise<Session | undefined> {
  try {
    return await readSession(file);
  } catch (error) {
    warn(`What the steps of the sandbox left is not known, artifacts neither: ${explain(error).message}`);
    return undefined;
  }
}

async function bringSessionBack(session: Session, timings: Timings): Promise<void> {
  const cancellation = new Cancellation();
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await Sandbox.connect(session.sandboxId, { host: session.host, reconnectTimeoutMs });
    await bringBack(sandbox, {
      globs: session.artifacts,
      workspace: session.workspace,
      into: session.artifactsFolder,
      signal: cancellation.signal,
    });
    timings.lap('brought back');
  } catch (error) {
    // its end comes first
    warn(`The artifacts could not be brought back: ${explain(error).message}`);
  } finally {
    await sandbox?.disconnect();
  }
}

function sayWhatWasFound(sandboxId: string, end: Teardown, expected: boolean): void {
  if (end.found === 'unknown') {
    warn(
      `${sandboxId} could not be destroyed: ${explain(end.error).message}\nIts lease ends it within ${String(leaseSeconds)} s.`,
    );
    return;
  }
  if (end.found === 'never-made') say(`${sandboxId} was not made`);
  else if (end.found === 'gone') say(`${sandboxId} was gone already: ${end.info.end?.message ?? ''}`);
  else say(expected ? `${sandboxId} is destroyed` : `${sandboxId} was still there and is destroyed`);
}

async function endLocalHost(saved: unknown): Promise<void> {
  try {
    const { stopLocalHost } = await import('../local/local-host.ts');
    await stopLocalHost(saved);
  } catch (error) {
    warn(`The host of this job could not be ended: ${explain(error).message}`);
  }
}
