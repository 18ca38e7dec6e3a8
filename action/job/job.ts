import type { Cancellation } from '../cancellation.ts';
import type { JobContext } from '../context.ts';
import type { Inputs } from '../inputs.ts';
import type { JobState } from '../job-state.ts';
import type { Timings } from './timings.ts';

/** All that the parts of one main step share. */
export interface Job {
  inputs: Inputs;
  /** What the names in the `env` input stand for. */
  named: Record<string, string>;
  context: JobContext;
  state: JobState;
  timings: Timings;
  cancellation: Cancellation;
  /** The snapshot that `save-snapshot` has made. */
  saved?: string;
}
