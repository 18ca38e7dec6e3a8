import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import {
  forkFailureDetailsSchema,
  forkResultSchema,
  type ForkFailureDetails,
  type ForkInput,
  type ForkResult,
} from '../contract/fork.ts';
import { isOffshootError, type OffshootError } from '../errors/offshoot-error.ts';
import type { Transport } from './transport.ts';

export interface ForkOptions extends Pick<ForkInput, 'egress' | 'keepSnapshot' | 'labels' | 'timeoutSeconds'> {
  /** The same key answers the same copies or the same error, also to another program; another request under it is refused. */
  idempotencyKey?: string;
  /** Cancels the fork when it fires: what was started is stopped before the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What is known of a fork besides its copies. */
export interface ForkReport extends Omit<ForkResult, 'sandboxes'> {
  sandboxIds: string[];
}

/** `fork-failed`, its details of known form. */
export type ForkFailedError = OffshootError & { readonly code: 'fork-failed'; readonly details: ForkFailureDetails };

/** How long a fork that hostd does not know yet is looked for before a cancel is given up. */
const cancelDeadlineMs = 30_000;

/** True for a fork of which some copies did not start: `error.details.startedSandboxIds` run on, `error.details.failures` says why the others do not. */
export function isForkFailed(error: unknown): error is ForkFailedError {
  return (
    isOffshootError(error) && error.code === 'fork-failed' && forkFailureDetailsSchema.safeParse(error.details).success
  );
}

/** Forks a sandbox. Its own id and key make a repetition after a lost connection the same fork. Rejects with the signal's reason when that fires. */
export async function requestFork(
  transport: Transport,
  sandboxId: string,
  { signal, idempotencyKey, ...request }: ForkOptions & { count: number },
): Promise<ForkResult> {
  signal?.throwIfAborted();
  const id = idempotencyKey === undefined ? `frk_${ulid()}` : forkIdOf(idempotencyKey);
  const givenUp = new AbortController();
  const answer = transport.json(forkResultSchema, {
    method: 'POST',
    path: `/v1/sandboxes/${encodeURIComponent(sandboxId)}/fork`,
    json: { id, ...request },
    headers: { 'idempotency-key': idempotencyKey ?? id },
    timeoutMs: 0, // a hundred copies take their time
    signal: givenUp.signal,
  });
  if (signal === undefined) return answer;
  const abort = Promise.withResolvers<undefined>();
  const onAbort = (): void => {
    abort.resolve(undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await Promise.race([answer, abort.promise]);
    if (result !== undefined) return result;
    await cancelFork(transport, id, answer);
    givenUp.abort();
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves when nothing of the fork is left, or the cancel has failed. */
async function cancelFork(transport: Transport, id: string, answer: Promise<ForkResult>): Promise<void> {
  const settled = answer.then(
    ({ sandboxes }) => sandboxes.map((copy) => copy.id),
    (error: unknown) => (isForkFailed(error) ? error.details.startedSandboxIds : []),
  );
  const deadlineMs = performance.now() + cancelDeadlineMs;
  while (performance.now() < deadlineMs) {
    if (await tryCancel(transport, id)) return;
    // hostd has answered it already, or its request is still on the way
    const started = await Promise.race([settled, sleep(50, undefined, { ref: false })]);
    if (started !== undefined) {
      await Promise.allSettled(started.map((copyId) => remove(transport, `/v1/sandboxes/${copyId}`)));
      return;
    }
  }
}

/** False when no such fork is under way. */
async function tryCancel(transport: Transport, id: string): Promise<boolean> {
  try {
    await remove(transport, `/v1/forks/${id}`);
    return true;
  } catch (error) {
    return !(isOffshootError(error) && error.code === 'fork-not-found');
  }
}

async function remove(transport: Transport, path: string): Promise<void> {
  const answer = await transport.send({ method: 'DELETE', path });
  answer.body.resume();
}

/** The id is part of the request, so the same key has to go with the same id. */
function forkIdOf(idempotencyKey: string): string {
  return `frk_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)}`;
}
