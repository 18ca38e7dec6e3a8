import { networkOf, type Address, type Network } from './address.ts';

/** Values by network. A lookup takes one step for each prefix length in use, however many networks there are. */
export class PrefixTable<Value> {
  readonly #byLength = {
    4: new Map<number, Map<bigint, Value>>(),
    6: new Map<number, Map<bigint, Value>>(),
  };

  /** The value of exactly this network, made when there is none yet. */
  at(network: Network, make: () => Value): Value {
    const byLength = this.#byLength[network.family];
    const byBase = byLength.get(network.prefixLength) ?? new Map<bigint, Value>();
    byLength.set(network.prefixLength, byBase);
    const found = byBase.get(network.base);
    if (found !== undefined) return found;
    const made = make();
    byBase.set(network.base, made);
    return made;
  }

  /** The values of all networks that hold the address. */
  covering(address: Address): Value[] {
    const found: Value[] = [];
    for (const [prefixLength, byBase] of this.#byLength[address.family]) {
      const value = byBase.get(networkOf(address, prefixLength).base);
      if (value !== undefined) found.push(value);
    }
    return found;
  }
}
