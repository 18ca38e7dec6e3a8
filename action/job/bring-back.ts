import path from 'node:path';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { explain, warn } from '../annotations.ts';
import { collectArtifacts } from '../artifacts/collect-artifacts.ts';
import { say } from '../say.ts';
import { within } from '../within.ts';

/** A guest may stop answering in the middle; its sandbox has to end all the same. */
const patienceMs = 600_000;

export interface BringBack {
  globs: readonly string[];
  workspace: string;
  /** On the runner, absolute. */
  into: string;
  signal: AbortSignal;
}

/** Brings artifacts to the runner. What fails or matches nothing is told; the verdict stays the build's. */
export async function bringBack(sandbox: Sandbox, { globs, workspace, into, signal }: BringBack): Promise<void> {
  if (globs.length === 0) return;
  try {
    const bounded = within(patienceMs, signal);
    const collected = await collectArtifacts(sandbox, { globs, base: workspace, into, signal: bounded });
    const { files, bytes } = collected;
    const what = `${String(files)} ${files === 1 ? 'artifact' : 'artifacts'}, ${(bytes / 1_000_000).toFixed(1)} MB`;
    if (files > 0) say(`${what}, in ${path.relative(workspace, into)}`);
    for (const warning of collected.warnings) warn(warning);
    for (const glob of collected.unmatched) warn(`No file matches the artifacts glob ${glob}.`);
    if (collected.refused.length > 0)
      warn(`${String(collected.refused.length)} artifacts were refused: ${collected.refused.slice(0, 10).join('; ')}`);
  } catch (error) {
    if (signal.aborted) throw error;
    warn(`The artifacts could not be brought back: ${explain(error).message}`);
  }
}
