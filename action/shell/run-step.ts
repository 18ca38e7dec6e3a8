import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Sandbox } from '../../hostd/client/sandbox.ts';
import { tell, tellFailure } from '../annotations.ts';
import { Cancellation } from '../cancellation.ts';
import { failForDenials } from '../egress/step-denials.ts';
import { keepSandbox } from '../job/keep.ts';
import { send } from '../job/furnish.ts';
import { reconnectTimeoutMs } from '../job/create-sandbox.ts';
import { runScript } from '../job/script.ts';
import { takeTurn } from '../job/step-lock.ts';
import { judge, type Verdict } from '../job/verdict.ts';
import { placeScript } from '../step/guest-step.ts';
import { readSession, sessionFile, sessionVariable, writeSession, type Session } from '../session.ts';
import { say } from '../say.ts';

/** The step's own failure is 1 to 255; this is Offshoot's, as on the command line. */
const ownFailure = 125;

/** Runs a workflow step's script in the job's sandbox; returns what the step ends with. With `sync` the workspace goes in again first. */
export async function runStep(script: string, options: { sync: boolean }): Promise<number> {
  const cancellation = new Cancellation();
  try {
    const file = sessionOfTheJob();
    await using _turn = await takeTurn(file, cancellation.signal);
    const session = await readSession(file);
    const sandbox = await Sandbox.connect(session.sandboxId, { host: session.host, reconnectTimeoutMs });
    try {
      await sandbox.renew(session.leaseSeconds);
      if (options.sync) await send(sandbox, session.workspace, session.syncExclude, cancellation.signal);
      const verdict = await runInSession(sandbox, session, script, cancellation.signal);
      if (!verdict.ok) {
        tell('error', verdict.title, verdict.message);
        session.failure ??= verdict.message;
      }
      const denied = await failForDenials(session);
      session.failure ??= denied;
      if (!verdict.ok || denied !== undefined) await keepOnce(sandbox, session);
      return verdict.ok && denied !== undefined ? 1 : verdict.exitCode;
    } finally {
      await writeSession(file, session);
      await sandbox.disconnect();
    }
  } catch (error) {
    if (cancellation.cancelled) return 130;
    tellFailure(error);
    return ownFailure;
  }
}

/** Where the command line looks when the step's environment says nothing else. */
export async function hostOfTheJob(): Promise<string | undefined> {
  return readSession(sessionOfTheJob()).then(
    ({ host }) => host,
    () => undefined,
  );
}

function sessionOfTheJob(): string {
  return sessionFile(process.env['RUNNER_TEMP'] ?? '', process.env[sessionVariable] ?? '');
}

async function runInSession(sandbox: Sandbox, session: Session, script: string, signal: AbortSignal): Promise<Verdict> {
  const exec = await runScript(sandbox, session, {
    script: await placeScript(sandbox, await readFile(script), session.shell, signal),
    workingDirectory: workingDirectory(session.workspace),
    timeoutMs: session.timeoutMs,
    // a later step may go on in this sandbox
    onSignal: 'end',
    reservedOutputs: [],
    summaryReserveBytes: 0,
    signal,
  });
  return judge('the script', exec, sandbox, session.timeoutMs);
}

/** Where the step is on the runner, if that is in the workspace: the guest has it at the same path. */
function workingDirectory(workspace: string): string {
  const here = process.cwd();
  return here === workspace || here.startsWith(workspace + path.sep) ? here : workspace;
}

async function keepOnce(sandbox: Sandbox, session: Session): Promise<void> {
  if (session.keepMinutes === 0 || session.kept !== undefined) return;
  session.kept = await keepSandbox(sandbox, session.host, session.keepMinutes);
  if (session.kept !== undefined) say(`kept for ${String(session.kept.minutes)} minutes: ${session.kept.command}`);
}
