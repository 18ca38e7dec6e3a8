import { randomUUID } from 'node:crypto';
import type { ExecInfo } from '../../hostd/contract/exec.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { guestTempFolder } from '../guest-env/guest-folders.ts';
import { readFileCommands, type GuestFileCommands } from '../file-commands/read.ts';
import { GuestLog, type LogSink } from '../log/guest-log.ts';
import { shellCommand } from './shell-command.ts';

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
  await sandbox.files.write(file, script, { mode: 0o700, signal });
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
 * Throws what the SDK throws; `aborted` when the signal fires.
 */
export async function runGuestStep(
  sandbox: Sandbox,
  { folder, argv }: PlacedScript,
  step: GuestStep,
): Promise<GuestStepResult> {
  const command = ['/bin/sh', '-c', prelude, 'offshoot', folder, ...argv];
  const handle = await sandbox.spawn(command, {
    cwd: step.cwd,
    env: step.env(folder),
    ...(step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs }),
  });
  const log = await GuestLog.open(step.sink, { protectedValues: step.protectedValues });
  let exec: ExecInfo;
  let lostBytes = 0;
  try {
    let nextOffset = 0;
    const chunks = handle.output({ signal: step.signal });
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) {
        exec = next.value ?? (await handle.info());
        break;
      }
      const { stream, offset, bytes } = next.value;
      if (nextOffset === 0) step.onFirstOutput?.();
      lostBytes += offset - nextOffset;
      nextOffset = offset + bytes.length;
      await log.write(stream, bytes);
    }
  } finally {
    await log.close();
  }
  return { exec, fileCommands: await fetchFileCommands(sandbox, folder, exec, step.signal), lostBytes };
}

async function fetchFileCommands(
  sandbox: Sandbox,
  folder: string,
  exec: ExecInfo,
  signal: AbortSignal,
): Promise<GuestFileCommands> {
  if (exec.failure?.code === 'sandbox-ended')
    return { outputs: [], env: [], path: [], summary: undefined, warnings: [] };
  return readFileCommands(await sandbox.files.downloadArchive(folder, { exclude: ['script*'], signal }));
}
