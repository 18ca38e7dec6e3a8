import { explain, warn } from './annotations.ts';
import { loadJobState } from './job-state.ts';
import { postJob } from './job/post-job.ts';

/** Entry of the action's post step. A main that ended before it had chosen a sandbox left nothing to do. */
let exitCode = 0;
try {
  const state = loadJobState();
  if (state !== undefined) exitCode = await postJob(state);
} catch (error) {
  warn(`The state that main saved is damaged, so the sandbox is left to its lease: ${explain(error).message}`);
}
// connections that are still open must not keep the runner waiting
process.exit(exitCode);
