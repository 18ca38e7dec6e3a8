import { maxEnvStringBytes } from '../../hostd/contract/common.ts';

export const MiB = 1024 * 1024;

/**
 * The most each file may hold, in bytes; a larger one is not merged at all. The summary's limit is the runner's (actions/runner:
 * CreateStepSummaryCommand). It has none for the others: an output of GitHub's may be 1 MiB, and an environment beyond some MiB starts no process.
 */
export const fileLimits = { output: 4 * MiB, env: 2 * MiB, path: MiB / 4, summary: MiB } as const;
export type FileName = keyof typeof fileLimits;

/** The file commands by their variables. */
export const variableOf = {
  output: 'GITHUB_OUTPUT',
  env: 'GITHUB_ENV',
  path: 'GITHUB_PATH',
  summary: 'GITHUB_STEP_SUMMARY',
} as const satisfies Record<FileName, string>;

/** What is read of the archive altogether: more than all files may hold, so that one file too large does not hide the others. */
export const archiveBytes = 64 * MiB;
export const mostEntries = 1000;

/** Pairs of GITHUB_OUTPUT or GITHUB_ENV that are read; a pair costs far more here and in the runner's file than its few bytes in the guest's. */
export const mostNamedValues = 10_000;

/**
 * What a sandbox may add to environments, in bytes: Linux starts no program whose arguments and variables are over 2 MiB together, or of which one, as PATH,
 * is over 128 KiB; and the runner and later steps have variables of their own.
 */
export const envLimits = { stepBytes: 256 * 1024, sessionBytes: 512 * 1024, sessionPathBytes: 64 * 1024 } as const;

/** What earlier steps in a sandbox added already. */
export interface SessionBytes {
  env: number;
  path: number;
}

/** Counts what `Merged` of earlier steps held: of a variable that was set several times the last value, of a folder one. */
export function sessionBytesOf(env: readonly { name: string; value: string }[], path: readonly string[]): SessionBytes {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  return {
    env: sum([...values].map(([name, value]) => variableBytes(name, value))),
    path: sum([...new Set(path)].map((entry) => Buffer.byteLength(entry) + 1)),
  };
}

/** With what Linux keeps beside the text: `=`, the end, and a pointer. */
export function variableBytes(name: string, value: string): number {
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 10;
}

export function fitsOneVariable(name: string, value: string): boolean {
  return Buffer.byteLength(name) + 1 + Buffer.byteLength(value) <= maxEnvStringBytes;
}
