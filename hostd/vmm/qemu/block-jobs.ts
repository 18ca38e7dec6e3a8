import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { anything } from './machine-monitor.ts';
import { QmpError, type QmpClient } from './qmp-client.ts';

const jobsSchema = z.array(z.object({ device: z.string() }));
const goneMs = 10_000;

/** Ends all jobs on a machine's disk; what they have copied so far stays where it is, which is right either way. */
export async function stopJobs(qmp: QmpClient): Promise<void> {
  const deadline = performance.now() + goneMs;
  let asked = false;
  for (;;) {
    const jobs = await qmp.execute('query-block-jobs', {}, jobsSchema);
    if (jobs.length === 0) return;
    if (performance.now() > deadline) throw new Error('a job on the disk does not end');
    if (!asked) await Promise.all(jobs.map(({ device }) => cancel(qmp, device)));
    asked = true;
    await sleep(2);
  }
}

// It may have ended by itself since it was listed.
async function cancel(qmp: QmpClient, device: string): Promise<void> {
  await qmp.execute('block-job-cancel', { device, force: true }, anything).catch((error: unknown) => {
    if (!(error instanceof QmpError)) throw error;
  });
}
