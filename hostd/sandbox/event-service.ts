import type { OffshootEvent } from '../contract/event.ts';
import type { Clock } from '../platform/clock.ts';
import { Waiters } from '../platform/waiters.ts';
import type { EventRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { EventService } from './host.ts';

const pageSize = 200;

export interface EventSubject {
  sandboxId?: string;
  execId?: string;
  data?: Record<string, unknown>;
}

/** Events are rows first; listeners are only woken, and read the rows themselves at their own pace. */
export class StoredEvents implements EventService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiters = new Waiters();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Call it inside the transaction that makes the event true. */
  append(type: OffshootEvent['type'], subject: EventSubject = {}): void {
    this.#store.events.append({
      atMs: this.#clock.wallMs(),
      type,
      sandboxId: subject.sandboxId ?? null,
      execId: subject.execId ?? null,
      data: subject.data ?? {},
    });
    // After the transaction, which is synchronous, has been committed.
    queueMicrotask(() => this.#waiters.wake());
  }

  latestId(): number {
    return this.#store.events.latestId();
  }

  async *stream(options: {
    afterId?: number;
    follow: boolean;
    sandboxId?: string;
    signal: AbortSignal;
  }): AsyncGenerator<OffshootEvent> {
    let afterId = options.afterId ?? 0;
    while (!options.signal.aborted) {
      const rows = this.#store.events.after(afterId, pageSize, options.sandboxId);
      for (const row of rows) {
        afterId = row.id;
        yield eventOf(row);
        if (options.signal.aborted) return;
      }
      if (rows.length > 0) continue;
      if (!options.follow) return;
      await this.#waiters.wait(options.signal);
    }
  }
}

function eventOf(row: EventRow): OffshootEvent {
  return {
    id: row.id,
    at: new Date(row.atMs).toISOString(),
    type: row.type,
    ...(row.sandboxId === null ? {} : { sandboxId: row.sandboxId }),
    ...(row.execId === null ? {} : { execId: row.execId }),
    data: row.data,
  };
}
