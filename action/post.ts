import { loadJobState } from './job-state.ts';
import { postJob } from './job/post-job.ts';

/** Entry of the action's post step. A main that ended before it had chosen a sandbox left nothing to do. */
const state = loadJobState();
if (state !== undefined) await postJob(state);
// connections that are still open must not keep the runner waiting
process.exit();
