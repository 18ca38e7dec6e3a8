/** What is known of a name: its addresses, that there are none, or that no server would say. */
export type Resolution =
  | { kind: 'addresses'; addresses: readonly string[]; ttlSeconds: number }
  | { kind: 'none'; why: 'no-such-name' | 'no-data'; ttlSeconds: number }
  | { kind: 'failed' };

/** Seconds. Below the minimum a name of a wildcard's zone could be asked for over and over, each time as a message to its owner. */
export const minTtlSeconds = 5;
/** Half a minute less than the longest life of a pin, so that no client keeps an address longer than its pin lives. */
export const maxTtlSeconds = 3570;
const maxNegativeTtlSeconds = 300;
const bytesPerEntry = 160;
const bytesPerAddress = 48;

export interface CacheLimits {
  entries: number;
  /** An estimate of what the entries take in memory. */
  bytes: number;
}

interface Entry {
  resolution: Resolution;
  expiresMs: number;
  bytes: number;
  /** How often it was answered: addresses go round. */
  turns: number;
}

/** Answers by name, for as long as their TTL says; the one used longest ago goes first when it is full. */
export class AnswerCache {
  readonly #now: () => number;
  readonly #limits: CacheLimits;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(now: () => number, limits: CacheLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  get size(): { entries: number; bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  /** With the time left as TTL, and each time with the next address in front. */
  get(name: string): Resolution | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const leftMs = entry.expiresMs - this.#now();
    this.#delete(name, entry);
    if (leftMs <= 0) return undefined;
    this.#insert(name, { ...entry, turns: entry.turns + 1 });
    return aged(entry.resolution, Math.ceil(leftMs / 1000), entry.turns);
  }

  /** Gives back what clients may be told, its TTL within bounds. Failures are not kept: the next query may fare better. */
  set(name: string, resolution: Resolution): Resolution {
    const before = this.#entries.get(name);
    if (before !== undefined) this.#delete(name, before);
    if (resolution.kind === 'failed') return resolution;
    const cap = resolution.kind === 'none' ? maxNegativeTtlSeconds : maxTtlSeconds;
    const ttlSeconds = Math.min(cap, Math.max(minTtlSeconds, resolution.ttlSeconds));
    const kept: Resolution = { ...resolution, ttlSeconds };
    const addresses = resolution.kind === 'addresses' ? resolution.addresses.length : 0;
    const bytes = bytesPerEntry + 2 * name.length + bytesPerAddress * addresses;
    this.#insert(name, { resolution: kept, expiresMs: this.#now() + ttlSeconds * 1000, bytes, turns: 1 });
    this.#makeRoom();
    return kept;
  }

  #makeRoom(): void {
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.#delete(oldest, entry);
    }
  }

  #insert(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
  }

  #delete(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }
}

function aged(resolution: Resolution, ttlSeconds: number, turns: number): Resolution {
  if (resolution.kind === 'failed') return resolution;
  if (resolution.kind === 'none') return { ...resolution, ttlSeconds };
  const { addresses } = resolution;
  const first = turns % addresses.length;
  return { kind: 'addresses', addresses: [...addresses.slice(first), ...addresses.slice(0, first)], ttlSeconds };
}
