import type { ForkResult, ForkSandbox, SandboxInfo, SnapshotInfo } from '../../contract/index.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { exampleSnapshot } from './examples.ts';

interface FakeFork {
  cancelled: boolean;
  wake: () => void;
  over: Promise<unknown>;
}

/** Forks of a host without machines: a test may hold them, and let some of their copies fail. */
export class FakeForks {
  /** Forks started after this is set wait for it before they answer. */
  held: Promise<unknown> | undefined;
  /** Which copies do not start, by index. */
  readonly failing = new Set<number>();
  /** How many forks were really begun. */
  begun = 0;
  readonly #machines: Map<string, SandboxInfo>;
  readonly #snapshots: Map<string, SnapshotInfo>;
  readonly #underWay = new Map<string, FakeFork>();
  readonly #answers = new Map<string, Promise<ForkResult>>();

  constructor(machines: Map<string, SandboxInfo>, snapshots: Map<string, SnapshotInfo>) {
    this.#machines = machines;
    this.#snapshots = snapshots;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  start(source: SandboxInfo, request: ForkSandbox, idempotencyKey: string | undefined): Promise<ForkResult> {
    const known = idempotencyKey === undefined ? undefined : this.#answers.get(idempotencyKey);
    if (known !== undefined) return known;
    const answer = this.#run(source, request);
    if (idempotencyKey !== undefined) this.#answers.set(idempotencyKey, answer);
    return answer;
  }

  async cancel(forkId: string): Promise<void> {
    const fork = this.#underWay.get(forkId);
    if (fork === undefined) throw new OffshootError('fork-not-found', { message: `No fork ${forkId} is under way.` });
    fork.cancelled = true;
    fork.wake();
    await fork.over;
  }

  async #run(source: SandboxInfo, request: ForkSandbox): Promise<ForkResult> {
    this.begun += 1;
    const id = request.id ?? `frk_${String(this.begun)}`;
    const cancelled = Promise.withResolvers<undefined>();
    const over = Promise.withResolvers<undefined>();
    const fork: FakeFork = { cancelled: false, wake: () => cancelled.resolve(undefined), over: over.promise };
    this.#underWay.set(id, fork);
    try {
      const indexes = Array.from({ length: request.count }, (_, index) => index);
      const copies = indexes
        .filter((index) => !this.failing.has(index))
        .map((index) => this.#copy(source, request, `sbx_${id.slice('frk_'.length)}-${String(index)}`));
      if (this.held !== undefined) await Promise.race([this.held, cancelled.promise]);
      if (fork.cancelled) {
        for (const { id: copy } of copies) this.#machines.delete(copy);
        throw new OffshootError('fork-cancelled', { details: { startedSandboxIds: [], failures: [] } });
      }
      if (copies.length < request.count) throw this.#failure(copies, request.count);
      return { id, sandboxes: copies, snapshot: this.#keep(source, request), pausedMs: 8.5, method: 'clone' };
    } finally {
      this.#underWay.delete(id);
      over.resolve(undefined);
    }
  }

  #copy(source: SandboxInfo, request: ForkSandbox, id: string): SandboxInfo {
    const copy: SandboxInfo = {
      ...source,
      id,
      state: 'running',
      forkedFrom: source.id,
      generation: source.generation + 1,
      labels: { ...source.labels, ...request.labels },
      egress: { ...source.egress, ...request.egress },
      timeoutSeconds: request.timeoutSeconds ?? source.timeoutSeconds,
    };
    this.#machines.set(id, copy);
    return copy;
  }

  #keep(source: SandboxInfo, { keepSnapshot }: ForkSandbox): SnapshotInfo | null {
    if (keepSnapshot === false) return null;
    const name = keepSnapshot === true ? 'kept' : keepSnapshot;
    const snapshot = exampleSnapshot(source, { name });
    this.#snapshots.set(name, snapshot);
    return snapshot;
  }

  #failure(copies: readonly SandboxInfo[], count: number): OffshootError {
    const failures = [...this.failing].map((index) => ({
      index,
      sandboxId: `sbx_never-${String(index)}`,
      code: 'capacity-exhausted',
      message: 'The host has no room.',
    }));
    return new OffshootError('fork-failed', {
      message: `${String(copies.length)} of ${String(count)} copies run.`,
      details: { startedSandboxIds: copies.map(({ id }) => id), failures },
    });
  }
}
