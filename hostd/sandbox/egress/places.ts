import type { EgressEntry } from '../../contract/egress.ts';

type Bytes = Pick<EgressEntry, 'bytesIn' | 'bytesOut'>;

/** Entries of a report, added up by place. */
export class Places<Entry extends EgressEntry> {
  readonly #entries = new Map<string, Entry>();

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** What the two do not share of name and address is no longer said. */
  add(place: unknown, entry: Entry): void {
    const key = JSON.stringify(place);
    const before = this.#entries.get(key);
    if (before === undefined) {
      this.#entries.set(key, { ...entry });
      return;
    }
    this.#entries.set(key, {
      ...before,
      address: before.address === entry.address ? entry.address : null,
      count: before.count + entry.count,
      bytesIn: before.bytesIn + entry.bytesIn,
      bytesOut: before.bytesOut + entry.bytesOut,
      firstAt: before.firstAt < entry.firstAt ? before.firstAt : entry.firstAt,
      lastAt: before.lastAt > entry.lastAt ? before.lastAt : entry.lastAt,
    });
  }

  /** What passed at a place whose connections are counted already; else it is a place of its own. */
  addPassed(place: unknown, entry: Entry): void {
    this.add(place, this.#entries.has(JSON.stringify(place)) ? { ...entry, count: 0 } : entry);
  }

  /** False when there is no such place. */
  addBytes(place: unknown, bytes: Bytes): boolean {
    return this.#grow(JSON.stringify(place), bytes);
  }

  /** To the first that fits. */
  addBytesWhere(fits: (entry: Entry) => boolean, bytes: Bytes): boolean {
    for (const [key, entry] of this.#entries) if (fits(entry)) return this.#grow(key, bytes);
    return false;
  }

  #grow(key: string, { bytesIn, bytesOut }: Bytes): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    const grown = { bytesIn: entry.bytesIn + bytesIn, bytesOut: entry.bytesOut + bytesOut };
    this.#entries.set(key, { ...entry, ...grown });
    return true;
  }
}
