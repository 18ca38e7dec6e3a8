import { randomUUID } from 'node:crypto';
import type { ExecInfo } from '../../hostd/contract/exec.ts';
import type { ExecHandle } from '../../hostd/client/exec-handle.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { isOffshootError } from '../../hostd/errors/offshoot-error.ts';
import { guestTempFolder } from '../guest-env/guest-folders.ts';
import { readFileCommands, type GuestFileCommands } from '../file-commands/read.ts';
import { GuestLog, type LogSink } from '../log/guest-log.ts';
import { within } from '../within.ts';
import { shellCommand } from './shell-command.ts';

/** A guest whose root has stopped the agent answers nothing any more. */
const shortAnswerMs = 60_000;
/** The runner is patient for 7.5 s after its first signal; what a step has set is read within that. */
const endPatienceMs = 2_000;

/** A script that is in the guest, and how to start it. */
export interface PlacedScript {
  /** Of the step alone: its file commands are there too. */
  folder: string;
  argv: string[];
}

/** Puts a script into the guest; `shell` is as in a workflow: bash, sh, python or a command line with {0}. */
export async function placeScript(
  sandbox: Sandbox,
  script: string | Buffer,
  shell: string,
  signal: AbortSignal,
): Promise<PlacedScript> {
  const folder = `${guestTempFolder}/_steps/${randomUUID()}`;
  const { extension, argv } = shellCommand(shell);
  const file = `${folder}/script${extension}`;
  await sandbox.files.write(file, script, { mode: 0o700, signal: within(shortAnswerMs, signal) });
  return { folder, argv: argv(file) };
}

export interface GuestStep {
  /** Absolute, in the guest. */
  cwd: string;
  /** Built when the step's folder is known: the file commands' paths are among them. */
  env: (folder: string) => Record<string, string>;
  timeoutMs?: number | undefined;
  /** Values that no cut of a line may divide. */
  protectedValues: readonly string[];
  sink: LogSink;
  onFirstOutput?: () => void;
  signal: AbortSignal;
  /** What the signal does: `leave` the script to the sandbox's end, or `end` it and take what it has set. */
  onSignal: 'leave' | 'end';
}

export interface GuestStepResult {
  exec: ExecInfo;
  fileCommands: GuestFileCommands;
  /** Bytes of output that are missing, because there were more than the host keeps. */
  lostBytes: number;
}

// Builtins only, so that it costs no process of its own. The files stand before the script runs, as the runner's do.
const prelude = 'for name in output env path summary; do : >>"$1/$name"; done; shift; exec "$@"';

/**
 * Runs a script in the sandbox as the runner runs a step's: its output goes to the sink, its file commands are read back, also when it fails.
 * Throws what the SDK throws; `aborted` when the signal fires, unless it is to end the script.
 */
export async function runGuestStep(
  sandbox: Sandbox,
  { folder, argv }: PlacedScript,
  step: GuestStep,
): Promise<GuestStepResult> {
  const handle = await sandbox.spawn(['/bin/sh', '-c', prelude, 'offshoot', folder, ...argv], {
    cwd: step.cwd,
    env: step.env(folder),
    ...(step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs }),
  });
  const over = new AbortController();
  const ended = (): void => {
    if (step.onSignal === 'leave') over.abort();
    else void endScript(handle, over);
  };
  step.signal.addEventListener('abort', ended, { once: true });
  if (step.signal.aborted) ended();
  const log = await GuestLog.open(step.sink, { protectedValues: step.protectedValues });
  try {
    const { exec, lostBytes } = await follow(handle, log, step, over.signal);
    return { exec, lostBytes, fileCommands: await fetchFileCommands(sandbox, folder, exec, step) };
  } finally {
    step.signal.removeEventListener('abort', ended);
    await log.close();
  }
}

async function follow(
  handle: ExecHandle,
  log: GuestLog,
  step: GuestStep,
  signal: AbortSignal,
): Promise<{ exec: ExecInfo; lostBytes: number }> {
  let [nextOffset, lostBytes] = [0, 0];
  const chunks = handle.output({ signal });
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) {
      await log.close();
      return { exec: next.value ?? (await handle.info()), lostBytes };
    }
    const { stream, offset, bytes } = next.value;
    if (nextOffset === 0) step.onFirstOutput?.();
    lostBytes += offset - nextOffset;
    nextOffset = offset + bytes.length;
    await log.write(stream, bytes);
  }
}

/** As the runner ends a step's processes, but within its patience. */
async function endScript(handle: ExecHandle, over: AbortController): Promise<void> {
  const patient = (): Promise<unknown> => handle.wait({ signal: AbortSignal.timeout(endPatienceMs) });
  try {
    await handle.kill('SIGTERM');
    await patient().catch(async () => {
      await handle.kill('SIGKILL');
      await patient();
    });
  } catch {
    over.abort(); // neither the script nor the host answers
  }
}

const nothing: GuestFileCommands = { outputs: [], env: [], path: [], summary: undefined, warnings: [] };

async function fetchFileCommands(
  sandbox: Sandbox,
  folder: string,
  exec: ExecInfo,
  { signal }: GuestStep,
): Promise<GuestFileCommands> {
  // it never began, or there is no guest any more to ask
  if (exec.failure !== null && exec.exitCode !== 0) return nothing;
  const bound = signal.aborted ? AbortSignal.timeout(endPatienceMs) : within(shortAnswerMs, signal);
  try {
    return await readFileCommands(await sandbox.files.downloadArchive(folder, { exclude: ['script*'], signal: bound }));
  } catch (error) {
    // a script may remove its folder
    if (isOffshootError(error) && error.code === 'guest-file-not-found') return nothing;
    throw error;
  }
}
