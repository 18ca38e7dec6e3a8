import { z } from 'zod';
import { OffshootError } from '../hostd/errors/offshoot-error.ts';

const repository = z.object({ id: z.number() });
const eventSchema = z.object({
  repository: repository.optional(),
  pull_request: z
    .object({ head: z.object({ repo: repository.nullable() }), base: z.object({ repo: repository.nullable() }) })
    .optional(),
  workflow_run: z.object({ head_repository: repository.nullable().optional() }).optional(),
});

/** What of a job's trigger decides whether it may run. */
export interface Trigger {
  /** GITHUB_EVENT_NAME. */
  name: string;
  /** The parsed event file; undefined when there is none. */
  payload: unknown;
}

/** Events that run with the base repository's secrets also when a fork caused them. */
const privileged = new Set(['pull_request_target', 'workflow_run']);

/**
 * Refuses jobs that would run a fork's code with this repository's rights (`unsafe-fork-code`), and hosts that a fork's pull request can't
 * prove itself to (`fork-pr-no-identity`): such a job gets no token.
 */
export function refuseUnsafeTriggers(trigger: Trigger, host: string, allowUnsafeForkCode: boolean): void {
  if (privileged.has(trigger.name) && !allowUnsafeForkCode && comesFromFork(trigger)) {
    throw new OffshootError('unsafe-fork-code', {
      message: `This job was started by ${trigger.name} from a fork: its code would run with this repository's secrets and tokens at hand.`,
    });
  }
  if (host !== 'local' && !host.startsWith('unix:') && comesFromFork(trigger)) {
    throw new OffshootError('fork-pr-no-identity', {
      message: `A pull request from a fork gets no token, so it can not use the host ${host}.`,
    });
  }
}

/** Throws `action-input` for hosts that need a token: this version has none to show. */
export function refuseUnservedHosts(host: string): void {
  if (host === 'local' || host.startsWith('unix:')) return;
  throw new OffshootError('action-input', { message: `The input host must be unix:PATH, or local; it is ${host}.` });
}

/** Also true when the payload doesn't tell, or the fork is deleted: nothing proves then that the code is the repository's own. */
export function comesFromFork({ name, payload }: Trigger): boolean {
  if (!name.startsWith('pull_request') && name !== 'workflow_run') return false;
  const parsed = eventSchema.safeParse(payload);
  if (!parsed.success) return true;
  const { pull_request: pull, workflow_run: run, repository: own } = parsed.data;
  if (name === 'workflow_run') return run?.head_repository?.id !== own?.id || own === undefined;
  if (pull === undefined) return true;
  return pull.head.repo === null || pull.head.repo.id !== (pull.base.repo?.id ?? own?.id);
}
