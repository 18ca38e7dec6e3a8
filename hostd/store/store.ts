import type { SandboxState } from '../contract/sandbox.ts';
import type {
  EgressCountRow,
  EgressCursorRow,
  EventRow,
  ExecRow,
  IdempotencyRow,
  ResourceRow,
  SandboxRow,
} from './rows.ts';

/**
 * What hostd remembers of its own host. Synchronous: every call is a short statement on an embedded database, and code
 * between two awaits sees a state nobody else changes. A fleet's shared database is another interface, not this one.
 */
export interface Store {
  readonly sandboxes: SandboxRows;
  readonly resources: ResourceRows;
  readonly execs: ExecRows;
  readonly events: EventRows;
  readonly idempotency: IdempotencyRows;
  readonly counters: Counters;
  readonly egress: EgressRows;
  /** Secret of this state directory, for keyed hashes of requests. */
  readonly hashKey: Buffer;
  /** All of `work` or nothing of it; joins a transaction that is already open. */
  transaction<Result>(work: () => Result): Result;
  /** For what memory has of a change: `undo` runs when the transaction that is open now fails, the last one given first; without an open one, never. */
  onRollback(undo: () => void): void;
  close(): void;
}

export interface SandboxRows {
  insert(row: SandboxRow): void;
  update(id: string, patch: Partial<Omit<SandboxRow, 'id'>>): void;
  get(id: string): SandboxRow | undefined;
  /** Oldest first. */
  inStates(states: readonly SandboxState[]): SandboxRow[];
  /** Newest first, at most `limit`. */
  gone(limit: number): SandboxRow[];
  /** Tombstones beyond the newest `keep`, ended before `endedBeforeMs`, or beyond `keepBytes` of outputs: ids, oldest first. */
  expired(limits: { keep: number; keepBytes: number; endedBeforeMs: number }): string[];
  delete(id: string): void;
}

/** Entries are made before their thing is, and deleted after it is gone. */
export interface ResourceRows {
  record(row: ResourceRow): void;
  update(owner: string, kind: ResourceRow['kind'], name: string, detail: ResourceRow['detail']): void;
  of(owner: string): ResourceRow[];
  all(): ResourceRow[];
  erase(owner: string, kind: ResourceRow['kind'], name: string): void;
  eraseAll(owner: string): void;
}

export interface ExecRows {
  insert(row: Omit<ExecRow, 'sequence'>): void;
  update(sandboxId: string, id: string, patch: Partial<Omit<ExecRow, 'sandboxId' | 'id' | 'sequence'>>): void;
  get(sandboxId: string, id: string): ExecRow | undefined;
  /** In order of starting; the newest `limit`. */
  of(sandboxId: string, limit: number): ExecRow[];
  running(sandboxId: string): ExecRow[];
  /** Highest stream id an exec of this sandbox ever had; 0 without any. */
  highestStreamId(sandboxId: string): number;
  totalOutputBytes(sandboxId: string): number;
  delete(sandboxId: string, id: string): void;
}

export interface EventRows {
  append(event: Omit<EventRow, 'id'>): EventRow;
  /** At most `limit` after `afterId`, oldest first. */
  after(afterId: number, limit: number, sandboxId?: string): EventRow[];
  /** 0 when there never was one. */
  latestId(): number;
}

export interface IdempotencyRows {
  get(key: string): IdempotencyRow | undefined;
  put(row: IdempotencyRow): void;
  deleteBefore(createdAtMs: number): void;
}

/** Totals that outlive hostd, by name. */
export interface Counters {
  add(name: string, amount: number): void;
  all(): Record<string, number>;
}

/** What sandboxes reached and were denied; goes with their rows. */
export interface EgressRows {
  /** Takes the place of the row of the same sandbox, key and source. */
  put(row: EgressCountRow): void;
  /** In the order of their keys. */
  of(sandboxId: string, countedBy?: EgressCountRow['countedBy']): EgressCountRow[];
  /** What is kept of a row's key: over all sources, and of its own source alone; `firstMs` (wall clock) is undefined when there is nothing. */
  total(row: Pick<EgressCountRow, 'sandboxId' | 'key' | 'source'>): {
    count: number;
    own: number;
    firstMs: number | undefined;
  };
  /** How many events told of its denials. */
  announced(sandboxId: string): number;
  setAnnounced(sandboxId: string, events: number): void;
  cursors(): EgressCursorRow[];
  setCursor(row: EgressCursorRow): void;
}
