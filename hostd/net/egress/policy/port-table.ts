interface PortRule {
  port: number | 'any';
  transport: 'tcp' | 'udp';
}

/** Rules by port and transport. Most tables have one rule, and a policy may have thousands of tables: only further ones take a map. */
export class PortTable<Rule extends PortRule> {
  #only: Rule | undefined;
  #rules: Map<string, Rule> | undefined;

  /** Takes the place of one with the same port and transport. */
  add(rule: Rule): void {
    if (this.#rules === undefined && (this.#only === undefined || keyOf(this.#only) === keyOf(rule))) {
      this.#only = rule;
      return;
    }
    this.#rules ??= new Map(this.all().map((one) => [keyOf(one), one]));
    this.#rules.set(keyOf(rule), rule);
  }

  /** The rule that names this port, else the one that names every port. */
  find(transport: 'tcp' | 'udp', port: number): Rule | undefined {
    if (this.#rules !== undefined) {
      return this.#rules.get(keyOf({ transport, port })) ?? this.#rules.get(keyOf({ transport, port: 'any' }));
    }
    const only = this.#only;
    return only?.transport === transport && (only.port === port || only.port === 'any') ? only : undefined;
  }

  first(): Rule | undefined {
    return this.#rules === undefined ? this.#only : this.#rules.values().next().value;
  }

  all(): Rule[] {
    if (this.#rules !== undefined) return [...this.#rules.values()];
    return this.#only === undefined ? [] : [this.#only];
  }
}

function keyOf({ transport, port }: PortRule): string {
  return `${transport}:${String(port)}`;
}
