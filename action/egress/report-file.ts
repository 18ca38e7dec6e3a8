import { setOutput } from '@actions/core';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { warn } from '../annotations.ts';
import type { TakenReport } from './take-report.ts';

/**
 * Sets the step's outputs `egress-denied-count` and `egress-report`. The report is a file in the runner's temporary folder: as a value it
 * could be longer than the 128 KiB that fit one variable of a later step's environment. Without a report both stay empty.
 */
export async function putOut(taken: TakenReport, tempFolder: string, sandboxId: string): Promise<void> {
  if ('missing' in taken) return;
  setOutput('egress-denied-count', taken.report.deniedCount);
  const file = path.join(tempFolder, `offshoot-egress-${sandboxId}.json`);
  try {
    await writeFile(file, `${JSON.stringify(taken.report, undefined, 2)}\n`);
  } catch (error) {
    warn(`The egress report could not be written: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  setOutput('egress-report', file);
}
