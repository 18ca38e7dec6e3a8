import type { ForkResult, ForkSandbox } from '../../contract/fork.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { asCatalogueError } from '../bring-up.ts';
import { captureSandbox, expectedImageMiB, type Captured } from '../checkpoint/capture.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { egressColumns, type EgressColumns } from '../egress/egress-columns.ts';
import type { HostContext } from '../host-context.ts';
import type { Idempotency, IdempotencyKey } from '../idempotency.ts';
import { newForkId, requestHash } from '../ids.ts';
import type { Leases } from '../leases.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { StandingSandbox } from '../registry.ts';
import type { Pauser } from '../pause/pauser.ts';
import { Semaphore } from '../semaphore.ts';
import type { Keeping, SnapshotTaker } from '../snapshot/snapshot-taker.ts';
import type { Teardown } from '../teardown.ts';
import { CopyMaker, newCopy } from './copy.ts';
import { failureOfAny, forkResult, type KeptAnswer, type Outcome } from './fork-answer.ts';

export interface ForkParts {
  host: HostContext;
  teardown: Teardown;
  idempotency: Idempotency;
  snapshots: SnapshotTaker;
  pauser: Pauser;
  leases: Leases;
}

/** Forks: running copies of a running or paused sandbox. */
export class Forks {
  readonly #parts: ForkParts;
  readonly #maker: CopyMaker;
  readonly #turns: Semaphore;
  /** Under way, by id. */
  readonly #open = new Map<string, { cancel: AbortController; done: Promise<unknown> }>();

  constructor(parts: ForkParts) {
    this.#parts = parts;
    this.#maker = new CopyMaker(parts.host, parts.teardown);
    this.#turns = new Semaphore(parts.host.config.concurrentCopies);
  }

  async fork(sourceId: string, request: ForkSandbox, key: string | undefined): Promise<ForkResult> {
    const { host, idempotency } = this.#parts;
    if (host.stopping) throw new OffshootError('shutting-down');
    if (key === undefined)
      return forkResult(host, this.#parts.snapshots, await this.#begin(sourceId, request, undefined));
    const { id: _id, ...spec } = request;
    const keyed = { key, requestHash: requestHash(host.store.hashKey, { fork: sourceId, ...spec }) };
    const { answer } = await idempotency.run(keyed, undefined, () => this.#begin(sourceId, request, keyed));
    return forkResult(host, this.#parts.snapshots, answer);
  }

  async cancel(forkId: string): Promise<void> {
    const open = this.#open.get(forkId);
    if (open === undefined) {
      throw new OffshootError('fork-not-found', { message: `No fork ${forkId} is under way.`, details: { forkId } });
    }
    open.cancel.abort(new OffshootError('fork-cancelled', { details: { forkId } }));
    await open.done.catch(() => undefined);
  }

  async #begin(sourceId: string, request: ForkSandbox, keyed: IdempotencyKey | undefined): Promise<string> {
    const id = request.id ?? newForkId();
    if (this.#open.has(id)) {
      throw new OffshootError('idempotency-conflict', {
        message: `A fork ${id} is under way.`,
        details: { forkId: id },
      });
    }
    const cancel = new AbortController();
    const done = this.#run(id, sourceId, request, keyed, cancel.signal);
    this.#open.set(id, { cancel, done });
    try {
      return await done;
    } finally {
      this.#open.delete(id);
    }
  }

  async #run(
    id: string,
    sourceId: string,
    request: ForkSandbox,
    keyed: IdempotencyKey | undefined,
    cancelled: AbortSignal,
  ): Promise<string> {
    const { host, snapshots, idempotency } = this.#parts;
    const source = host.registry.standing(sourceId);
    const egress = request.egress && egressColumns(request.egress);
    const keep = request.keepSnapshot === false ? undefined : snapshots.keepFor(source, id, request.keepSnapshot);
    let checkpoint: Checkpoint | undefined;
    try {
      const asleep = keep === undefined ? savedAlready(host, source) : undefined;
      checkpoint =
        asleep ??
        (await host.checkpoints.begin(keep === undefined ? 'fork' : 'snapshot', await expectedImageMiB(host, source)));
      const order = { id, source, request, egress, checkpoint, durable: keep !== undefined, cancelled };
      const { outcomes, captured } = await this.#copies(order);
      const snapshot = await this.#keep(outcomes, keep, { checkpoint, captured, cancelled });
      const failure = failureOfAny(sourceId, outcomes, snapshot);
      if (failure !== undefined) {
        this.#answered(outcomes);
        throw failure;
      }
      const answer = JSON.stringify({
        id,
        sandboxIds: outcomes.map(({ copy }) => copy.row.id),
        snapshot,
        pausedMs: Math.round(captured.pausedMs * 10) / 10,
        method: captured.capture?.method ?? 'copy',
      } satisfies KeptAnswer);
      host.store.transaction(() => {
        if (keyed !== undefined) idempotency.succeeded(keyed, answer);
        this.#answered(outcomes);
        host.store.counters.add('forks', 1);
        host.events.append('sandbox.forked', {
          sandboxId: sourceId,
          data: { forkId: id, copies: outcomes.map(({ copy }) => copy.row.id), pausedMs: captured.pausedMs },
        });
      });
      return answer;
    } catch (error) {
      if (!cancelled.aborted) source.ending.signal.throwIfAborted();
      throw asCatalogueError(error);
    } finally {
      keep?.release();
      if (checkpoint !== undefined) await host.checkpoints.unpin(checkpoint);
    }
  }

  /**
   * What remains to be done once the copies run: the image on disk, the snapshot. Without what was asked for, or when nobody wants it any
   * more, the copies go as well: the fork has not answered yet.
   */
  async #keep(
    outcomes: readonly Outcome[],
    keep: Keeping | undefined,
    { checkpoint, captured, cancelled }: { checkpoint: Checkpoint; captured: Captured; cancelled: AbortSignal },
  ): Promise<string | null> {
    const started = outcomes.filter(({ failure }) => failure === undefined);
    let snapshot: string | null = null;
    try {
      await captured.capture?.complete;
      if (keep !== undefined && started.length > 0) snapshot = await keep.finish(checkpoint);
      cancelled.throwIfAborted();
      return snapshot;
    } catch (error) {
      await Promise.all(started.map(({ copy }) => this.#maker.discard(copy, error)));
      if (snapshot !== null) await keep?.undo();
      throw error;
    }
  }

  /** Its caller is told of the copies: from here on they are not undone when hostd ends. */
  #answered(outcomes: readonly Outcome[]): void {
    for (const { copy } of outcomes) this.#maker.answered(copy);
  }

  /** Saves the source and brings the copies up; those that could not be are gone again. */
  async #copies(order: {
    id: string;
    source: StandingSandbox;
    request: ForkSandbox;
    egress: EgressColumns | undefined;
    checkpoint: Checkpoint;
    durable: boolean;
    cancelled: AbortSignal;
  }): Promise<{ outcomes: Outcome[]; captured: Captured }> {
    const { host } = this.#parts;
    const { id, source, request, egress, checkpoint, durable, cancelled } = order;
    const acceptedMs = host.clock.monotonicMs();
    const facts = { request, egress, checkpoint, acceptedMs };
    const copies = Array.from({ length: request.count }, () => newCopy(host, source, facts));
    const onCancel = () => {
      for (const copy of copies) copy.ending.abort(cancelled.reason);
    };
    cancelled.addEventListener('abort', onCancel);
    if (cancelled.aborted) onCancel();
    try {
      const admitted = await this.#admit(id, copies);
      const captured = Promise.withResolvers<Captured>();
      captured.promise.catch(() => undefined);
      const work = copies.map(
        (copy) => admitted.get(copy) ?? this.#turns.run(() => this.#bringUp(copy, checkpoint, captured.promise)),
      );
      const saved = this.#saved(source, {
        checkpoint,
        durable,
        signal: AbortSignal.any([cancelled, source.ending.signal]),
      });
      saved.then(captured.resolve, captured.reject);
      const settled = await Promise.allSettled(work);
      const outcomes = copies.map((copy, index) => ({ copy, failure: failureOf(settled[index]) }));
      const unwanted = outcomes.filter(({ copy, failure }) => {
        return (failure !== undefined || cancelled.aborted) && host.registry.find(copy.row.id) !== undefined;
      });
      await Promise.all(unwanted.map(({ copy, failure }) => this.#maker.discard(copy, failure)));
      cancelled.throwIfAborted();
      return { outcomes, captured: await saved };
    } finally {
      cancelled.removeEventListener('abort', onCancel);
    }
  }

  /** What the copies start from: the source on disk as it is, or what is saved of it now. */
  async #saved(
    source: StandingSandbox,
    order: { checkpoint: Checkpoint; durable: boolean; signal: AbortSignal },
  ): Promise<Captured> {
    if (order.checkpoint.kind !== 'hibernation') return this.#save(source, order);
    order.signal.throwIfAborted();
    return { capture: undefined, pausedMs: 0, openExecs: this.#parts.host.store.execs.running(source.row.id) };
  }

  /** One operation at a time on a source. */
  async #save(
    source: StandingSandbox,
    order: { checkpoint: Checkpoint; durable: boolean; signal: AbortSignal },
  ): Promise<Captured> {
    const { host, pauser } = this.#parts;
    return source.turn.run(async () => {
      await faultPoint('fork.journaled');
      const captured = await captureSandbox(host, await pauser.awake(source), order).catch((error: unknown) => {
        source.ending.signal.throwIfAborted();
        throw error;
      });
      await faultPoint('fork.after-capture');
      void captured.capture?.complete.then(
        () => faultPoint('fork.image-written'),
        () => undefined,
      );
      return captured;
    });
  }

  /** Room for each; who gets none is not made. When none gets any the fork is refused before anything is saved. */
  async #admit(forkId: string, copies: readonly LiveSandbox[]): Promise<Map<LiveSandbox, Promise<never>>> {
    const { host } = this.#parts;
    const refused = new Map<LiveSandbox, Promise<never>>();
    for (const copy of copies) {
      const request = { shape: copy.row, waitSeconds: 0, signal: copy.ending.signal, onQueued: () => undefined };
      try {
        copy.place = await host.admission.enter(request);
        this.#maker.journal(copy, forkId);
      } catch (error) {
        copy.place?.leave();
        host.registry.drop(copy.row.id);
        if (refused.size === copies.length - 1) throw error;
        const refusal = Promise.reject<never>(error as Error);
        refusal.catch(() => undefined);
        refused.set(copy, refusal);
      }
    }
    return refused;
  }

  async #bringUp(copy: LiveSandbox, checkpoint: Checkpoint, captured: Promise<Captured>): Promise<void> {
    const [saved] = await Promise.all([captured, this.#maker.prepare(copy)]);
    await this.#maker.start(copy, checkpoint, saved);
    this.#parts.leases.changed();
    await faultPoint('fork.copy-running');
  }
}

/** What a source that is on disk was saved as, held for the fork. */
function savedAlready(host: HostContext, { row }: StandingSandbox): Checkpoint | undefined {
  const checkpoint = row.hibernated && row.checkpointId !== null ? host.checkpoints.find(row.checkpointId) : undefined;
  if (checkpoint !== undefined) host.checkpoints.pin(checkpoint);
  return checkpoint;
}

function failureOf(settled: PromiseSettledResult<void> | undefined): OffshootError | undefined {
  return settled?.status === 'rejected' ? asCatalogueError(settled.reason) : undefined;
}
