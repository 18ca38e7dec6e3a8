import { snapshotListSchema, snapshotSchema, type SnapshotInfo } from '../contract/snapshot.ts';
import type { Transport } from './transport.ts';

/** Snapshots of one host. `Sandbox.snapshot` takes one, `Sandbox.create({ snapshot })` starts from one. */
export class Snapshots {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(): Promise<SnapshotInfo[]> {
    return (await this.#transport.json(snapshotListSchema, { method: 'GET', path: '/v1/snapshots' })).snapshots;
  }

  /** Throws `snapshot-not-found`. */
  async get(name: string): Promise<SnapshotInfo> {
    return this.#transport.json(snapshotSchema, { method: 'GET', path: snapshotPath(name) });
  }

  /** Throws `snapshot-in-use` with details.usedBy while sandboxes stand on it. */
  async remove(name: string): Promise<void> {
    const answer = await this.#transport.send({ method: 'DELETE', path: snapshotPath(name), timeoutMs: 0 });
    answer.body.resume();
  }
}

function snapshotPath(name: string): string {
  return `/v1/snapshots/${encodeURIComponent(name)}`;
}
