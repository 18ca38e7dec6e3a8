interface PortRule {
  port: number | 'any';
  transport: 'tcp' | 'udp';
}

/** Rules by port and transport. */
export class PortTable<Rule extends PortRule> {
  readonly #rules = new Map<string, Rule>();

  add(rule: Rule): void {
    this.#rules.set(`${rule.transport}:${String(rule.port)}`, rule);
  }

  /** The rule that names this port, else the one that names every port. */
  find(transport: 'tcp' | 'udp', port: number): Rule | undefined {
    return this.#rules.get(`${transport}:${String(port)}`) ?? this.#rules.get(`${transport}:any`);
  }

  first(): Rule | undefined {
    return this.#rules.values().next().value;
  }

  all(): Rule[] {
    return [...this.#rules.values()];
  }
}
