import { warn } from './annotations.ts';
import { mainJob } from './job/main-job.ts';

/** Entry of the action's main step. */
process.on('unhandledRejection', (reason) => {
  warn(`unexpected: ${reason instanceof Error ? reason.message : String(reason)}`);
});
// connections that are still open must not keep the runner waiting
process.exit(await mainJob());
