import type { DenialReason } from '../../contract/egress.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { HostContext } from '../host-context.ts';

/** Events that tell of one sandbox's denials, before a last one that says that no more will come. */
export const maxDenialEvents = 200;

export type DenialRow = EgressCountRow & { reason: DenialReason };

/** What was under way when a change of policy ended it was denied, too. A row that failed was not. */
export function isDenial(row: EgressCountRow): row is DenialRow {
  return row.reason !== null && (row.outcome === 'denied' || row.outcome === 'would-deny' || row.outcome === 'cut');
}

/** False for what audit let through. */
export function isBlocked({ outcome }: EgressCountRow): boolean {
  return outcome !== 'would-deny';
}

/** The packet filter of a sandbox was made anew, and counts from the start: its rows go on from what they have. */
export function filterMadeAnew(store: Store, sandboxId: string): void {
  store.transaction(() => {
    for (const row of store.egress.of(sandboxId, 'filter')) {
      if (row.seenPackets > 0) store.egress.put({ ...row, seenPackets: 0, seenBytes: 0 });
    }
  });
}

/** Keeps what was counted, adds up denials for metrics, and tells of them by events: at the first one of a place and when their number has doubled. */
export class CountKeeper {
  readonly #host: Pick<HostContext, 'store' | 'events'>;

  constructor(host: Pick<HostContext, 'store' | 'events'>) {
    this.#host = host;
  }

  /** Rows of sandboxes that the store does not know are left out. Call it inside a transaction. */
  keep(rows: readonly EgressCountRow[]): void {
    const { store } = this.#host;
    const known = new Map<string, boolean>();
    const denials = new Map<string, number>();
    for (const row of rows) {
      const isKnown = known.get(row.sandboxId) ?? this.#isKnown(row.sandboxId);
      known.set(row.sandboxId, isKnown);
      if (!isKnown) continue;
      if (isDenial(row)) this.#keepDenial(row, denials);
      else store.egress.put(row);
    }
    for (const [counter, amount] of denials) store.counters.add(counter, amount);
  }

  #isKnown(sandboxId: string): boolean {
    return this.#host.store.sandboxes.get(sandboxId) !== undefined;
  }

  #keepDenial(row: DenialRow, denials: Map<string, number>): void {
    const { egress } = this.#host.store;
    const { count: before, own, firstMs = row.firstMs } = egress.total(row);
    egress.put(row);
    const count = before - own + row.count;
    if (count <= before) return;
    const counter = `egress_denied.${row.reason}.${isBlocked(row) ? 'blocked' : 'passed'}`;
    denials.set(counter, (denials.get(counter) ?? 0) + count - before);
    if (before === 0 || Math.floor(Math.log2(count)) > Math.floor(Math.log2(before))) {
      this.#announce({ ...row, count, firstMs: Math.min(firstMs, row.firstMs) });
    }
  }

  #announce(row: DenialRow): void {
    const { store, events } = this.#host;
    const { sandboxId, reason, name, address, port, transport, count, firstMs, lastMs } = row;
    const announced = store.egress.announced(sandboxId);
    if (announced > maxDenialEvents) return;
    store.egress.setAnnounced(sandboxId, announced + 1);
    if (announced === maxDenialEvents) {
      events.append('egress.denied', { sandboxId, data: { omitted: true } });
      return;
    }
    const [firstAt, lastAt] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
    const data = { reason, name, address, port, transport, count, blocked: isBlocked(row), firstAt, lastAt };
    events.append('egress.denied', { sandboxId, data });
  }
}
