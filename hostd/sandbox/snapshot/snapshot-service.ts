import type { CreateSnapshot, SnapshotInfo } from '../../contract/snapshot.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { HostContext } from '../host-context.ts';
import type { SnapshotService } from '../host.ts';
import type { SparePool } from '../spare-pool.ts';
import type { SnapshotTaker } from './snapshot-taker.ts';
import type { Snapshots } from './snapshots.ts';

const sweepEveryMs = 30_000;

export class LocalSnapshots implements SnapshotService {
  readonly #host: HostContext;
  readonly #snapshots: Snapshots;
  readonly #taker: SnapshotTaker;
  readonly #spares: SparePool;

  constructor(parts: { host: HostContext; snapshots: Snapshots; taker: SnapshotTaker; spares: SparePool }) {
    this.#host = parts.host;
    this.#snapshots = parts.snapshots;
    this.#taker = parts.taker;
    this.#spares = parts.spares;
  }

  async create(sandboxId: string, request: CreateSnapshot): Promise<SnapshotInfo> {
    if (this.#host.stopping) throw new OffshootError('shutting-down');
    return this.#taker.take(sandboxId, request.name, request.retentionDays);
  }

  async list(): Promise<SnapshotInfo[]> {
    return Promise.resolve(this.#snapshots.all.map((kept) => this.#snapshots.info(kept)));
  }

  async get(name: string): Promise<SnapshotInfo> {
    return Promise.resolve(this.#snapshots.info(this.#snapshots.get(name)));
  }

  async remove(name: string): Promise<void> {
    const kept = this.#snapshots.get(name);
    if (kept.pins > 0) await this.#spares.giveUp(); // a machine made ahead is no reason to refuse
    await this.#snapshots.remove(kept);
  }

  /** Removes those whose time is over; one that is in use goes when it no longer is. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sweep();
      await this.#host.clock.sleep(sweepEveryMs, signal).catch(() => undefined);
    }
  }

  async sweep(): Promise<void> {
    const nowMs = this.#host.clock.wallMs();
    for (const kept of this.#snapshots.all) {
      const { expiresAtMs, name } = kept.manifest;
      if (expiresAtMs === null || expiresAtMs > nowMs || this.#snapshots.find(name) !== kept) continue;
      if (kept.pins > 0 || this.#snapshots.usedBy(kept).length > 0) continue;
      await this.#snapshots.remove(kept).catch((error: unknown) => {
        this.#host.log.error({ error, snapshot: name }, 'a snapshot could not be removed');
      });
    }
  }
}
