import { OffshootError } from '../errors/offshoot-error.ts';
import type { StreamKind } from './route.ts';

/** Bounds of the HTTP surface. */
export interface ApiLimits {
  jsonBodyBytes: number;
  /** Request line and headers together. */
  headerBytes: number;
  headersTimeoutMs: number;
  jsonBodyTimeoutMs: number;
  /** How long an upload may pause; it has no bound in total. */
  uploadIdleTimeoutMs: number;
  /** How long an unwanted rest of an upload is read before the connection is cut. */
  lingerMs: number;
  /** Silence after which followers get a sign of life. */
  keepAliveMs: number;
  /** How long an idle connection is kept. */
  idleConnectionMs: number;
  /** How long requests may take to end when hostd stops. */
  drainMs: number;
  maxConnections: number;
  maxFollowers: number;
  maxTransfers: number;
  maxBuilds: number;
}

export const defaultApiLimits: ApiLimits = {
  jsonBodyBytes: 4 * 1024 * 1024,
  headerBytes: 16_384,
  headersTimeoutMs: 15_000,
  jsonBodyTimeoutMs: 30_000,
  uploadIdleTimeoutMs: 60_000,
  lingerMs: 2_000,
  keepAliveMs: 10_000,
  idleConnectionMs: 30_000,
  drainMs: 10_000,
  maxConnections: 2_048,
  maxFollowers: 512,
  maxTransfers: 256,
  maxBuilds: 8,
};

/** Counts the long requests that are open, by kind. */
export class OpenStreams {
  readonly #max: Record<StreamKind, number>;
  readonly #open: Record<StreamKind, number> = { follower: 0, transfer: 0, build: 0 };

  constructor(limits: ApiLimits) {
    this.#max = { follower: limits.maxFollowers, transfer: limits.maxTransfers, build: limits.maxBuilds };
  }

  /** Takes a place; the result gives it back, once. Throws `too-many-streams`. */
  take(kind: StreamKind): () => void {
    if (this.#open[kind] >= this.#max[kind])
      throw new OffshootError('too-many-streams', {
        message: `${String(this.#open[kind])} streams of kind ${kind} are open, as many as this host allows.`,
        details: { kind, limit: this.#max[kind] },
      });
    this.#open[kind] += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#open[kind] -= 1;
    };
  }

  get counts(): Readonly<Record<StreamKind, number>> {
    return this.#open;
  }
}
