import type { Session } from '../session.ts';
import { takeReport } from './take-report.ts';
import { tellDenials } from './tell-denials.ts';

/**
 * What fails a step in the job's sandbox: that something was denied since the step before, where the action's step said that it does.
 * Undefined when nothing fails it. The session remembers what was told.
 */
export async function failForDenials(
  session: Pick<Session, 'host' | 'sandboxId' | 'failOnEgressDenied' | 'deniedSeen'>,
): Promise<string | undefined> {
  if (!session.failOnEgressDenied) return undefined;
  const taken = await takeReport(session.host, session.sandboxId);
  const failure = tellDenials(taken, { fail: true, seen: session.deniedSeen });
  if ('report' in taken) session.deniedSeen = taken.report.deniedCount;
  return failure;
}
