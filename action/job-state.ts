import { getState, saveState } from '@actions/core';
import { z } from 'zod';
import { processIdentitySchema } from '../hostd/platform/process-identity.ts';

const jobStateSchema = z.object({
  sandboxId: z.string(),
  /** Absent while `host: local` is not up. */
  host: z.string().optional(),
  /** What a host of this job needs to be ended; its own module knows the shape. */
  local: z.unknown().optional(),
  /** Set when later steps use the sandbox. */
  sessionFile: z.string().optional(),
  /** Here as well as in the session, which steps of the job can damage. */
  failOnEgressDenied: z.boolean().default(false),
  heartbeat: processIdentitySchema.optional(),
  /** True once main has destroyed the sandbox and said so. */
  destroyed: z.boolean().default(false),
});

/** What post has to know of main. */
export type JobState = z.output<typeof jobStateSchema>;

const key = 'offshoot';

/** Later calls replace earlier ones. The runner gives it to post, also when main is killed. */
export function saveJobState(state: JobState): void {
  saveState(key, state);
}

/** Undefined in main, and in the post of a main that ended before it had chosen a sandbox. Throws for a state that is damaged. */
export function loadJobState(): JobState | undefined {
  const text = getState(key);
  return text === '' ? undefined : jobStateSchema.parse(JSON.parse(text));
}
