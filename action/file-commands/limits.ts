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

export function fitsOneVariable(name: string, value: string): boolean {
  return Buffer.byteLength(name) + 1 + Buffer.byteLength(value) <= maxEnvStringBytes;
}
