import path from 'node:path';
import type { Runner } from '../../../platform/run.ts';
import type { HostConfig } from '../host/host-config.ts';
import type { BuildPlan } from './plan.ts';

/** What the steps of one build share. */
export interface BuildContext {
  plan: BuildPlan;
  host: HostConfig;
  runner: Runner;
  /** The folder of this build; all it makes lies below. */
  workDirectory: string;
  /** Downloaded .deb files, kept between builds. */
  packageCache: string;
  /** Every line that a tool prints. */
  onLine: (line: string) => void;
}

/** The guest's root directory while it is being filled. */
export function rootOf(context: BuildContext): string {
  return path.join(context.workDirectory, 'root');
}

/** Longest time for one step; a stuck mirror ends the build instead of hanging it. */
export const stepTimeoutMs = 45 * 60_000;
