import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface IdempotencyKey {
  key: string;
  requestHash: string;
}

/** Not an answer to the request: the caller was never told, or is to come back. */
const unanswered: readonly ErrorCode[] = ['aborted', 'shutting-down'];

/** The same key gets the same answer: the sandbox, or the error. Kept for a day. */
export class Idempotency {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #running = new Map<string, { requestHash: string; answer: Promise<string> }>();

  constructor(store: Store, clock: Clock, keptHours: number) {
    this.#store = store;
    this.#clock = clock;
    this.#keptMs = keptHours * 3_600_000;
  }

  /**
   * Runs `work`, which resolves with the answer to keep (a sandbox's id), unless the key has its answer. Throws `idempotency-conflict` when
   * the key belongs to another request, else what the first request got.
   */
  async run(
    used: IdempotencyKey,
    signal: AbortSignal | undefined,
    work: () => Promise<string>,
  ): Promise<{ answer: string; repeated: boolean }> {
    for (;;) {
      const running = this.#running.get(used.key);
      if (running === undefined) break;
      this.#requireSame(used, running.requestHash);
      try {
        return { answer: await running.answer, repeated: true };
      } catch (error) {
        const gaveUp = isOffshootError(error) && error.code === 'aborted';
        if (!gaveUp || signal?.aborted === true) throw error;
        // Only the first one's client left: this one takes its turn.
      }
    }
    const known = this.#store.idempotency.get(used.key);
    if (known !== undefined && Math.abs(this.#clock.wallMs() - known.createdAtMs) < this.#keptMs) {
      this.#requireSame(used, known.requestHash);
      if (known.error !== null) throw revive(known.error);
      if (known.answer !== null) return { answer: known.answer, repeated: true };
    }
    const answer = this.#first(used, work);
    this.#running.set(used.key, { requestHash: used.requestHash, answer });
    try {
      return { answer: await answer, repeated: false };
    } finally {
      this.#running.delete(used.key);
    }
  }

  /** Call it in the transaction that makes what was asked for exist. */
  succeeded(used: IdempotencyKey, answer: string): void {
    this.#put(used, { answer, error: null });
  }

  forgetOld(): void {
    this.#store.idempotency.deleteBefore(this.#clock.wallMs() - this.#keptMs);
  }

  async #first(used: IdempotencyKey, work: () => Promise<string>): Promise<string> {
    try {
      return await work();
    } catch (error) {
      if (isOffshootError(error) && !unanswered.includes(error.code)) {
        const { code, message, hint, details } = error;
        this.#put(used, { answer: null, error: { code, message, hint, details } });
      }
      throw error;
    }
  }

  #put(used: IdempotencyKey, answer: Pick<IdempotencyRow, 'answer' | 'error'>): void {
    this.#store.idempotency.put({ ...used, ...answer, createdAtMs: this.#clock.wallMs() });
  }

  #requireSame(used: IdempotencyKey, requestHash: string): void {
    if (used.requestHash !== requestHash) throw new OffshootError('idempotency-conflict');
  }
}

function revive(error: NonNullable<IdempotencyRow['error']>): OffshootError {
  const { code, ...options } = error;
  return new OffshootError(isErrorCode(code) ? code : 'internal', options);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code);
}
