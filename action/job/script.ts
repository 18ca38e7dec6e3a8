import { setSecret } from '@actions/core';
import path from 'node:path';
import type { ExecInfo } from '../../hostd/contract/exec.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { warn } from '../annotations.ts';
import { sessionBytesOf } from '../file-commands/limits.ts';
import { mergeBack } from '../file-commands/merge.ts';
import { selectGuestEnv } from '../guest-env/select-guest-env.ts';
import { stdoutSink } from '../log/stdout-sink.ts';
import { runGuestStep, type PlacedScript } from '../step/guest-step.ts';
import type { Session } from '../session.ts';
import { say } from '../say.ts';

export interface ScriptRequest {
  script: PlacedScript;
  /** In the guest; relative to the workspace. */
  workingDirectory: string;
  signal: AbortSignal;
  timeoutMs: number;
  onFirstOutput?: () => void;
  onSignal: 'leave' | 'end';
  /** Outputs of the step that the script may not set. */
  reservedOutputs: readonly string[];
  /** Room in the step's summary for what the action itself adds. */
  summaryReserveBytes: number;
}

/** What of a session a script needs and adds to. */
export type ScriptSession = Pick<
  Session,
  'workspace' | 'env' | 'named' | 'pathEntries' | 'envEntries' | 'artifactsFolder'
>;

/** Runs one script in the sandbox with the step's environment, and gives the step its outputs, also when the script fails. */
export async function runScript(sandbox: Sandbox, session: ScriptSession, request: ScriptRequest): Promise<ExecInfo> {
  const selected = selectGuestEnv({
    env: { ...session.named, ...process.env },
    requested: session.env,
    added: session.envEntries,
    workspace: session.workspace,
    pathEntries: session.pathEntries,
  });
  for (const secret of selected.secrets) setSecret(secret);
  if (selected.withheld.length > 0) say(`not passed on: ${selected.withheld.join(', ')} (the input env can name them)`);
  const { exec, fileCommands, lostBytes } = await runGuestStep(sandbox, request.script, {
    cwd: path.posix.resolve(session.workspace, request.workingDirectory),
    env: selected.env,
    timeoutMs: request.timeoutMs,
    protectedValues: selected.protectedValues,
    sink: stdoutSink(),
    ...(request.onFirstOutput === undefined ? {} : { onFirstOutput: request.onFirstOutput }),
    signal: request.signal,
    onSignal: request.onSignal,
  });
  if (lostBytes > 0 || exec.truncated) warn('The output was longer than the host keeps; a part of it is missing here.');
  const merged = await mergeBack(fileCommands, process.env, warn, {
    reservedOutputs: request.reservedOutputs,
    guestFilledFolders: [session.artifactsFolder],
    summaryReserveBytes: request.summaryReserveBytes,
    sessionBytes: sessionBytesOf(session.envEntries, session.pathEntries),
  });
  session.pathEntries.push(...merged.path);
  session.envEntries.push(...merged.env);
  return exec;
}
