import { networkInterfaces } from 'node:os';
import type { EgressReport } from '../../contract/egress.ts';
import type { GateCursor } from '../../net/egress/gate/gate.ts';
import { heldMode, isHeldByName } from '../../net/egress/policy/held-mode.ts';
import { compilePolicy, type PolicyView } from '../../net/egress/policy/policy.ts';
import { parsePolicy } from '../../net/egress/policy/parse-rules.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { EgressCountRow, SandboxRow } from '../../store/rows.ts';
import type { HostContext } from '../host-context.ts';
import { answeredNames } from './answered-names.ts';
import { CountKeeper } from './count-keeper.ts';
import { filterCounts, filterReason } from './filter-counts.ts';
import { FreshRun } from '../../platform/fresh-run.ts';
import { cursorRows, gateCount, gateCursor } from './gate-counts.ts';
import { passedPlaces, type PassedPlaces } from './passed-places.ts';
import { QuietFilters } from './quiet-filters.ts';
import { egressReport } from './report-document.ts';

const gateEveryMs = 2000;
/** Of each sandbox: a look at its filter starts processes. */
const filterEveryMs = 20_000;
const reportWaitMs = 3000;
const settleWaitMs = 1000;
const namesWaitMs = 400;
/** Of one look at the gate; what is left is read by the next. */
const maxPages = 100;
/** A guest may make up thousands: the daemon does not stand still for them. */
const rowsAtOnce = 250;

/** What is needed of a host. */
export type ReportingHost = Pick<HostContext, 'network' | 'store' | 'registry' | 'clock' | 'events' | 'log' | 'subnet'>;

/** Collects what sandboxes reached and were denied, keeps it, and tells of it. */
export class EgressReports {
  readonly #host: ReportingHost;
  readonly #keeper: CountKeeper;
  readonly #gate = new FreshRun(() => this.#readGate());
  readonly #filters = new Map<string, FreshRun>();
  readonly #quiet = new QuietFilters(async (id) => this.#host.registry.find(id)?.vm?.networkMark());
  /** What could not be read the last time, and was complained of. */
  readonly #failing = new Set<string>();
  #closed = false;

  constructor(host: ReportingHost) {
    this.#host = host;
    this.#keeper = new CountKeeper(host);
  }

  /** Reads counters until the signal aborts; nothing is written any more after that. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => (this.#closed = true));
    let hadSandboxes = false;
    let running: ReadonlySet<string> = new Set();
    await Promise.all([
      this.#repeat(gateEveryMs, signal, async () => {
        const { live } = this.#host.registry;
        // Once more after the last one has ended.
        if (live.length > 0 || hadSandboxes) await this.#attempt('gate', () => this.#gate.run());
        hadSandboxes = live.length > 0;
      }),
      this.#repeat(filterEveryMs, signal, async () => {
        await this.#attempt('gate', () => this.#gate.run());
        for (const id of this.#filters.keys()) if (this.#host.registry.find(id) === undefined) this.#forget(id);
        const { live } = this.#host.registry;
        const ran = running;
        running = new Set(live.flatMap(({ row }) => (row.state === 'running' ? [row.id] : [])));
        for (const { row } of live) {
          if (signal.aborted) return;
          // Once more after it was paused.
          if (!running.has(row.id) && !ran.has(row.id)) continue;
          if (!(await this.#quiet.isQuiet(row.id))) await this.#lookAtFilter(row.id);
        }
      }),
    ]);
  }

  /** With what is counted now, as far as it can be had within some seconds; of one that ended, what is kept. */
  async report(asked: SandboxRow): Promise<EgressReport> {
    if (asked.state !== 'gone') await this.collect(asked.id, reportWaitMs);
    const row = this.#host.registry.find(asked.id)?.row ?? asked;
    const { egressMode: mode, egressAllow: allow, egressRevision: revision } = row;
    return egressReport({ mode, allow, revision }, this.#host.store.egress.of(row.id));
  }

  /** Reads what is counted of a sandbox now: to be called before its filter's rules are made anew. Gives up after `limitMs`; never throws. */
  async collect(sandboxId: string, limitMs: number): Promise<void> {
    const giveUp = new AbortController();
    const after = (waitMs: number) => this.#host.clock.sleep(waitMs, giveUp.signal).catch(() => undefined);
    const gate = this.#attempt('gate', () => this.#gate.run());
    // First the gate, as it knows the names of addresses that the filter refused; one that is away is not waited for.
    const filter = Promise.race([gate, after(namesWaitMs)]).then(() => this.#lookAtFilter(sandboxId));
    await Promise.race([Promise.all([gate, filter]), after(limitMs)]);
    giveUp.abort();
  }

  /** The last counts of a sandbox that ends, while it still has its network. Takes a second at most; never throws. */
  async settle(sandboxId: string): Promise<void> {
    await this.collect(sandboxId, settleWaitMs);
    this.#forget(sandboxId);
    this.#failing.delete(sandboxId);
  }

  async #repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await this.#host.clock.sleep(everyMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await untilAborted(signal, work()).catch(() => undefined);
    }
  }

  #forget(sandboxId: string): void {
    this.#filters.delete(sandboxId);
    this.#quiet.forget(sandboxId);
  }

  #lookAtFilter(sandboxId: string): Promise<void> {
    const filter = this.#filters.get(sandboxId) ?? new FreshRun(() => this.#readFilter(sandboxId));
    this.#filters.set(sandboxId, filter);
    return this.#attempt(sandboxId, () => filter.run());
  }

  /** A failure is logged the first time, and tried again with the next look. */
  async #attempt(what: string, read: () => Promise<void>): Promise<void> {
    try {
      await read();
      this.#failing.delete(what);
    } catch (error) {
      if (this.#closed || this.#failing.has(what)) return;
      this.#failing.add(what);
      this.#host.log.warn({ of: what, error }, 'egress counters could not be read; it is tried again');
    }
  }

  async #readGate(): Promise<void> {
    const { network, store } = this.#host;
    for (let page = 1; page <= maxPages; page += 1) {
      const { rows, cursor, more } = await network.countedByGate(gateCursor(store.egress.cursors()));
      await this.#keep(
        rows.flatMap((row) => gateCount(row) ?? []),
        cursor,
      );
      if (!more || this.#closed) return;
    }
  }

  async #readFilter(sandboxId: string): Promise<void> {
    const { network, store, registry, clock } = this.#host;
    const row = registry.find(sandboxId)?.row;
    if (row === undefined || row.slot === null || !isHeldByName(row.egressMode, row.egressAllow.length > 0)) return;
    const foundNothing = await this.#quiet.looking(sandboxId);
    const traffic = await network.countedByFilter(row.slot);
    // Else they may be another sandbox's, which has the slot now.
    if (registry.find(sandboxId)?.row.slot !== row.slot) return;
    const kept = store.egress.of(sandboxId);
    const known = kept.filter(({ countedBy }) => countedBy === 'filter');
    if (traffic.length === 0 && known.length === 0) {
      foundNothing();
      return;
    }
    const nameOf = answeredNames(kept);
    let compiled: PolicyView | undefined;
    const view = () => (compiled ??= this.#viewOf(row));
    let places: PassedPlaces | undefined;
    const passed = () => (places ??= passedPlaces(view(), kept));
    const counts = filterCounts({
      sandboxId,
      known,
      traffic,
      reasonOf: (place) => filterReason(view(), place, nameOf(place.address)),
      nameOf,
      passed: { nameOf: (place) => passed().nameOf(place), networkOf: (place) => passed().networkOf(place) },
      nowMs: clock.wallMs(),
    });
    await this.#keep(counts);
    if (traffic.length === 0) foundNothing();
  }

  /** In parts, so that others get their turn between them. The cursor is kept with the last one: rows that are read again count once. */
  async #keep(rows: readonly EgressCountRow[], cursor: GateCursor = {}): Promise<void> {
    const { store } = this.#host;
    for (let from = 0; from === 0 || from < rows.length; from += rowsAtOnce) {
      if (from > 0) await new Promise(setImmediate);
      if (this.#closed) return;
      store.transaction(() => {
        this.#keeper.keep(rows.slice(from, from + rowsAtOnce));
        if (from + rowsAtOnce < rows.length) return;
        for (const row of cursorRows(cursor)) store.egress.setCursor(row);
      });
    }
  }

  #viewOf({ egressMode, egressAllow }: SandboxRow): PolicyView {
    const own = Object.values(networkInterfaces()).flatMap(
      (addresses) => addresses?.map(({ address }) => address) ?? [],
    );
    const mode = heldMode(egressMode, egressAllow.length > 0);
    return compilePolicy(parsePolicy(mode, egressAllow), { own: [this.#host.subnet, ...own] });
  }
}
