import { randomUUID } from 'node:crypto';
import type { ReportCursor, ReportPage, ReportRow } from './messages.ts';

/** What is counted; all of it together names a row. */
export type Counted = Omit<ReportRow, 'count' | 'bytesIn' | 'bytesOut' | 'firstMs' | 'lastMs'>;
export type Amounts = Pick<ReportRow, 'count' | 'bytesIn' | 'bytesOut'>;

export interface ReportLimits {
  /** From here on names of a sandbox are put together by their last two labels, from twice that all in one. */
  rowsPerSandbox: number;
  rowsInAll: number;
}

const defaultLimits: ReportLimits = { rowsPerSandbox: 1000, rowsInAll: 100_000 };
const defaultPage = 2000;
const once: Amounts = { count: 1, bytesIn: 0, bytesOut: 0 };

interface Kept {
  row: ReportRow;
  /** When it changed last, in the order of all changes. */
  seq: number;
}

interface SandboxRows {
  rows: Map<string, Kept>;
  /** It is gone: its rows stay until they were fetched. */
  isDropped: boolean;
}

/**
 * Counters that a reader can fetch again and again by cursor. Rows are totals since the log was made, so a row fetched twice counts once,
 * and who lost everything fetched so far asks without a cursor. Giving a cursor says that all before it is safe with the reader.
 */
export class ReportLog {
  readonly epoch = randomUUID();
  readonly #limits: ReportLimits;
  readonly #wallMs: () => number;
  readonly #sandboxes = new Map<string, SandboxRows>();
  #seq = 0;
  #size = 0;

  constructor(wallMs: () => number, limits: ReportLimits = defaultLimits) {
    this.#wallMs = wallMs;
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds to the row of this; to add nothing is no change. */
  count(what: Counted, amounts: Amounts = once): void {
    if (amounts.count === 0 && amounts.bytesIn === 0 && amounts.bytesOut === 0) return;
    const kept = this.#row(what);
    kept.row.count += amounts.count;
    kept.row.bytesIn += amounts.bytesIn;
    kept.row.bytesOut += amounts.bytesOut;
    kept.row.lastMs = this.#wallMs();
    kept.seq = this.#seq += 1;
  }

  /** For a sandbox that is gone. What its id counts from now on are new totals of the same rows. */
  drop(sandboxId: string): void {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox !== undefined) sandbox.isDropped = true;
  }

  page(since?: ReportCursor, limit = defaultPage): ReportPage {
    const from = since?.epoch === this.epoch ? since.seq : 0;
    this.#forgetFetched(from);
    const changed = [...this.#sandboxes.values()]
      .flatMap(({ rows }) => [...rows.values()])
      .filter(({ seq }) => seq > from)
      .toSorted((one, other) => one.seq - other.seq);
    const rows = changed.slice(0, limit);
    const seq = rows.at(-1)?.seq ?? Math.min(from, this.#seq);
    return {
      cursor: { epoch: this.epoch, seq },
      rows: rows.map(({ row }) => ({ ...row })),
      more: rows.length < changed.length,
    };
  }

  #row(what: Counted): Kept {
    const sandbox = this.#sandboxes.get(what.sandboxId) ?? { rows: new Map<string, Kept>(), isDropped: false };
    this.#sandboxes.set(what.sandboxId, sandbox);
    const own = sandbox.rows.get(keyOf(what));
    if (own !== undefined) return own;
    const named = this.#roomFor(sandbox.rows, what);
    const key = keyOf(named);
    const known = sandbox.rows.get(key);
    if (known !== undefined) return known;
    const nowMs = this.#wallMs();
    const row = { ...named, count: 0, bytesIn: 0, bytesOut: 0, firstMs: nowMs, lastMs: nowMs };
    const kept = { row, seq: this.#seq };
    sandbox.rows.set(key, kept);
    this.#size += 1;
    return kept;
  }

  #roomFor(rows: ReadonlyMap<string, Kept>, what: Counted): Counted {
    const isFull = this.#size >= this.#limits.rowsInAll && !this.#makeRoom();
    if (!isFull && rows.size < this.#limits.rowsPerSandbox) return what;
    const { address: _address, port: _port, name, ...common } = what;
    const domain = { ...common, name: name === undefined ? '*' : `*.${name.split('.').slice(-2).join('.')}` };
    if (rows.has(keyOf(domain)) || (!isFull && rows.size < 2 * this.#limits.rowsPerSandbox)) return domain;
    // One for each outcome, reason and transport: these are few.
    return { ...common, name: '*' };
  }

  /** Takes rows of a sandbox that is gone, though no one fetched them. */
  #makeRoom(): boolean {
    for (const [sandboxId, { rows, isDropped }] of this.#sandboxes) {
      if (!isDropped) continue;
      this.#sandboxes.delete(sandboxId);
      this.#size -= rows.size;
      return true;
    }
    return false;
  }

  #forgetFetched(seq: number): void {
    for (const [sandboxId, { rows, isDropped }] of this.#sandboxes) {
      if (!isDropped) continue;
      for (const [key, kept] of rows) if (kept.seq <= seq && rows.delete(key)) this.#size -= 1;
      if (rows.size === 0) this.#sandboxes.delete(sandboxId);
    }
  }
}

function keyOf({ outcome, reason, failure, name, address, port, transport }: Counted): string {
  return JSON.stringify([outcome, reason, failure, name, address, port, transport]);
}
