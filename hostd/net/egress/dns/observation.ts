import type { DenialReason } from '../policy/policy.ts';

/** What was decided about one query. */
export interface DnsObservation {
  sandboxId: string;
  /** `would-deny`: let through, as its policy only audits. */
  outcome: 'allowed' | 'denied' | 'would-deny';
  /** Of everything but `allowed`. */
  reason?: DenialReason;
  /** In lower case; bytes that names of hosts don't have as `\DDD`. */
  name: string;
  /** What the name led to, with `rebind`. */
  address?: string;
  /** How the question came: from the guest, or from the proxy on its behalf. */
  transport: 'udp' | 'tcp' | 'proxy';
}

export interface DnsCount extends DnsObservation {
  count: number;
  /** Wall clock, milliseconds since 1970. */
  firstMs: number;
  lastMs: number;
}

/** Different counts kept for one sandbox; then names are put together by their last two labels, and beyond twice that all in one. */
const maxCounts = 1000;

/** Counts of what each sandbox asked, by name and reason; bounded however many names a guest makes up. */
export class DnsCounters {
  readonly #wallMs: () => number;
  readonly #sandboxes = new Map<string, Map<string, DnsCount>>();

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs;
  }

  record(observation: DnsObservation): void {
    const counts = this.#sandboxes.get(observation.sandboxId) ?? new Map<string, DnsCount>();
    this.#sandboxes.set(observation.sandboxId, counts);
    const kept = roomFor(counts, observation);
    const nowMs = this.#wallMs();
    const known = counts.get(keyOf(kept)) ?? { ...kept, count: 0, firstMs: nowMs, lastMs: nowMs };
    counts.set(keyOf(kept), { ...known, count: known.count + 1, lastMs: nowMs });
  }

  of(sandboxId: string): DnsCount[] {
    return [...(this.#sandboxes.get(sandboxId)?.values() ?? [])];
  }

  forget(sandboxId: string): void {
    this.#sandboxes.delete(sandboxId);
  }
}

function roomFor(counts: ReadonlyMap<string, DnsCount>, observation: DnsObservation): DnsObservation {
  if (counts.size < maxCounts || counts.has(keyOf(observation))) return observation;
  const { address: _address, ...common } = observation;
  const domain = { ...common, name: `*.${observation.name.split('.').slice(-2).join('.')}` };
  if (counts.size < 2 * maxCounts || counts.has(keyOf(domain))) return domain;
  return { ...common, name: '*' };
}

function keyOf(observation: DnsObservation): string {
  const { outcome, reason, name, address, transport } = observation;
  return [outcome, reason ?? '', name, address ?? '', transport].join(' ');
}
