import { z } from 'zod';
import { forkResultSchema, type ForkFailureDetails, type ForkResult } from '../../contract/fork.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { HostContext } from '../host-context.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import { sandboxInfo } from '../sandbox-view.ts';
import type { SnapshotTaker } from '../snapshot/snapshot-taker.ts';

/** How the start of one copy ended. */
export interface Outcome {
  copy: LiveSandbox;
  failure: OffshootError | undefined;
}

/** What a repeated request is answered with: the copies as they are then. */
const keptAnswerSchema = forkResultSchema.pick({ id: true, pausedMs: true, method: true }).extend({
  sandboxIds: z.array(z.string()),
  snapshot: z.string().nullable(),
});

export type KeptAnswer = z.input<typeof keptAnswerSchema>;

export function forkResult(host: HostContext, snapshots: SnapshotTaker, answer: string): ForkResult {
  const { sandboxIds, snapshot, ...facts } = keptAnswerSchema.parse(JSON.parse(answer));
  const sandboxes = sandboxIds.map((id) => {
    const live = host.registry.find(id);
    return sandboxInfo(live?.row ?? host.registry.row(id), host.clock, live);
  });
  return { ...facts, sandboxes, snapshot: snapshot === null ? null : (snapshots.describe(snapshot) ?? null) };
}

/** What all failed of, or `fork-failed` with the details of a partial failure; undefined when all run. */
export function failureOfAny(
  sourceId: string,
  outcomes: readonly Outcome[],
  snapshot: string | null,
): OffshootError | undefined {
  const failed = outcomes.flatMap(({ copy, failure }, index) =>
    failure === undefined
      ? []
      : [{ index, sandboxId: copy.row.id, code: failure.code, message: failure.message, failure }],
  );
  const [first] = failed;
  if (first === undefined) return undefined;
  const codes = new Set(failed.map(({ code }) => code));
  if (failed.length === outcomes.length && codes.size === 1) return first.failure;
  const started = outcomes.filter(({ failure }) => failure === undefined);
  const details = {
    startedSandboxIds: started.map(({ copy }) => copy.row.id),
    failures: failed.map(({ failure: _failure, ...facts }) => facts),
    ...(snapshot === null ? {} : { snapshot }),
  } satisfies ForkFailureDetails;
  return new OffshootError('fork-failed', {
    message: `${String(failed.length)} of ${String(outcomes.length)} copies of ${sourceId} did not start: ${first.message}`,
    details,
  });
}
