import type { NameRule } from './policy.ts';
import { PortTable } from './port-table.ts';

/** All rules of one name, or of one wildcard. */
export class NameEntry {
  readonly ports = new PortTable<NameRule>();
  #private: PortTable<NameRule> | undefined;

  add(rule: NameRule): void {
    this.ports.add(rule);
    if (rule.allowPrivate) (this.#private ??= new PortTable()).add(rule);
  }

  /** A rule that lets the name resolve to private addresses: for this port, or for any when none is given. */
  privateRule(port: number | undefined): NameRule | undefined {
    if (port === undefined) return this.#private?.first();
    return this.#private?.find('tcp', port) ?? this.#private?.find('udp', port);
  }
}

/** Name rules by name. A lookup takes one step for each label of the name that is asked for, however many rules there are. */
export class NameTable {
  readonly #exact = new Map<string, NameEntry>();
  readonly #below = new Map<string, NameEntry>();

  add(rule: NameRule): void {
    const table = rule.wildcard ? this.#below : this.#exact;
    const entry = table.get(rule.name) ?? new NameEntry();
    table.set(rule.name, entry);
    entry.add(rule);
  }

  /** The entries whose rules name it, the closest first. */
  matching(name: string): NameEntry[] {
    const found: NameEntry[] = [];
    const exact = this.#exact.get(name);
    if (exact !== undefined) found.push(exact);
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const entry = this.#below.get(name.slice(dot + 1));
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }
}
