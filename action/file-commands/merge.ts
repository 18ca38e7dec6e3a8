import { randomBytes } from 'node:crypto';
import { appendFile, open, stat } from 'node:fs/promises';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import {
  envLimits,
  fileLimits,
  fitsOneVariable,
  mostNamedValues,
  variableBytes,
  variableOf,
  type FileName,
  type SessionBytes,
} from './limits.ts';
import type { NamedValue } from './parse.ts';
import type { GuestFileCommands } from './read.ts';
import { Refusals } from './refusals.ts';
import { isBlockedByRunner, isRefusedOnRunner, isSetByRunner } from './refused-names.ts';
import { RunnerPath } from './runner-path.ts';

/** The action's own outputs, which a script may not set. */
export const actionOutputs: readonly string[] = [
  'sandbox-id',
  'snapshot-id',
  'exit-code',
  'timings',
  'egress-denied-count',
  'egress-report',
  'artifacts',
];

export interface MergeOptions {
  /** Names of outputs that are not the script's; default the action's own. An ordinary `run` step has none. */
  reservedOutputs?: readonly string[];
  /** Folders on the runner that the guest fills: nothing in them comes onto the runner's PATH, as nothing in the workspace, temporary and home folders. */
  guestFilledFolders?: readonly string[];
  /** Bytes of the summary that are kept for the step's own text, since the runner drops a summary over 1 MiB whole. Default 64 KiB. */
  summaryReserveBytes?: number;
  /** What earlier steps in the sandbox added (`sessionBytesOf`); default nothing. */
  sessionBytes?: SessionBytes;
}

/** What later steps in the sandbox go on with; more than what went to the runner. */
export interface Merged {
  env: NamedValue[];
  /** Oldest first. */
  path: string[];
}

/**
 * Adds what a guest's step set to the runner's own files, whose paths are in `env` (GITHUB_OUTPUT and so on), in order and so that the runner reads equal
 * values, whatever they hold. Variables are set in `env` too, as @actions/core's exportVariable does. What a guest must not decide on the runner is left
 * out and named by `warn`. Call it once for a step. Throws `local-file-error`.
 */
export async function mergeBack(
  commands: GuestFileCommands,
  env: NodeJS.ProcessEnv,
  warn: (message: string) => void,
  options: MergeOptions = {},
): Promise<Merged> {
  for (const warning of commands.warnings) warn(warning);
  const reserved = new Set((options.reservedOutputs ?? actionOutputs).map((name) => name.toLowerCase()));
  const refused = new Refusals(warn);

  const outputs = commands.outputs.filter(
    ({ name }, index) =>
      refused.unless(index < mostNamedValues, name, `is beyond the ${String(mostNamedValues)} taken`, 'output') &&
      refused.unless(!reserved.has(name.toLowerCase()), name, 'is an output of the action itself', 'output') &&
      refused.unless(!name.endsWith('<'), name, 'is no name that can be passed on', 'output'),
  );
  const { env: earlierEnv, path: earlierPath } = options.sessionBytes ?? { env: 0, path: 0 };
  const room = new Room(Math.min(envLimits.stepBytes, envLimits.sessionBytes - earlierEnv));
  const guestEnv = commands.env.filter(
    ({ name, value }) =>
      refused.unless(!isSetByRunner(name), name, 'is set by the runner alone', 'variable') &&
      refused.unless(!isBlockedByRunner(name), name, 'is taken from no step by any runner', 'variable') &&
      refused.unless(
        !name.includes('\0') && !value.includes('\0') && !name.endsWith('<'),
        name,
        'can be no variable',
        'variable',
      ) &&
      refused.unless(fitsOneVariable(name, value), name, 'is longer than the 128 KiB Linux takes', 'variable') &&
      refused.unless(
        room.take(variableBytes(name, value)),
        name,
        'would make the environment too large (256 KiB in a step, 512 KiB in a sandbox)',
        'variable',
      ),
  );
  const runnerEnv = guestEnv.filter(({ name }) =>
    refused.unless(!isRefusedOnRunner(name), name, "could take over the runner's own programs", 'variable'),
  );
  const pathRoom = new Room(envLimits.sessionPathBytes - earlierPath);
  const guestPath = commands.path.filter(
    (entry) =>
      refused.unless(!entry.includes('\0'), entry, 'can be no folder', 'folder for PATH') &&
      refused.unless(
        pathRoom.take(Buffer.byteLength(entry) + 1),
        entry,
        'would make PATH too long (64 KiB in a sandbox)',
        'folder for PATH',
      ),
  );
  const machine = new RunnerPath(env, options.guestFilledFolders ?? []);
  const runnerPath = guestPath.filter((entry) =>
    refused.unless(
      machine.allows(entry),
      entry,
      'is not absolute, or lies where this job or a sandbox can write',
      'folder for PATH',
    ),
  );
  refused.tell();

  await append(env, 'output', namedValuesText(outputs));
  await append(env, 'env', namedValuesText(runnerEnv));
  for (const { name, value } of runnerEnv) env[name] = value;
  await append(env, 'path', runnerPath.map((entry) => `${entry}\n`).join(''));
  await appendSummary(commands.summary, env, options.summaryReserveBytes ?? 64 * 1024, warn);
  return { env: guestEnv, path: guestPath };
}

/** Blocks with a delimiter that no value holds. */
function namedValuesText(entries: readonly NamedValue[]): string {
  if (entries.length === 0) return '';
  let delimiter: string;
  do {
    delimiter = `offshoot_${randomBytes(16).toString('hex')}`;
  } while (entries.some(({ value }) => value.includes(delimiter)));
  return entries.map(({ name, value }) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`).join('');
}

async function append(env: NodeJS.ProcessEnv, file: FileName, content: string | Buffer): Promise<void> {
  if (content.length === 0) return;
  const target = env[variableOf[file]] ?? '';
  try {
    if (target === '') throw new Error('the variable is not set');
    if (file !== 'summary' && (await endsUnfinished(target))) await appendFile(target, '\n');
    await appendFile(target, content);
  } catch (error) {
    throw new OffshootError('local-file-error', {
      message: `The runner's ${variableOf[file]} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      cause: error,
    });
  }
}

/** Another writer may have left out the end of its last line. An empty line in front of everything is no way out: act refuses those. */
async function endsUnfinished(file: string): Promise<boolean> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const { size } = await handle.stat();
    const last = await handle.read({ buffer: Buffer.alloc(1), position: size - 1, length: size === 0 ? 0 : 1 });
    return last.bytesRead === 1 && last.buffer[0] !== 0x0a;
  } finally {
    await handle.close();
  }
}

async function appendSummary(
  summary: Buffer | undefined,
  env: NodeJS.ProcessEnv,
  reserveBytes: number,
  warn: (message: string) => void,
): Promise<void> {
  if (summary === undefined || summary.length === 0) return;
  const present = await stat(env[variableOf.summary] ?? '').then(
    ({ size }) => size,
    () => 0,
  );
  const room = fileLimits.summary - reserveBytes - present;
  if (summary.length <= room) return append(env, 'summary', summary);
  warn(
    `GITHUB_STEP_SUMMARY holds ${String(summary.length)} bytes, and the runner has room for ${String(Math.max(0, room))} more; nothing of it was merged.`,
  );
}

/** Bytes that are left. What does not fit takes nothing, so that what follows may still fit. */
class Room {
  #leftBytes: number;

  constructor(leftBytes: number) {
    this.#leftBytes = leftBytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }
}
