import { parseAddress, parseNetwork, type Address, type Network } from './address.ts';
import { closedRanges, isOpenedBy, ownRanges, type ClosedRange } from './closed-ranges.ts';
import { embeddedIpv4 } from './embedded-ipv4.ts';
import type { AddressRule, EgressRule, HostAddresses, PolicyMode, Verdict } from './policy.ts';
import { PortTable } from './port-table.ts';
import { PrefixTable } from './prefix-table.ts';

interface NetworkRules {
  network: Network;
  ports: PortTable<AddressRule>;
}

/** What the rules and the closed ranges say about one address. */
interface Standing {
  closed: readonly ClosedRange[];
  /** The rules that name it. In a closed range only those do that lie wholly within: 0.0.0.0/0 names no private network. */
  naming: readonly NetworkRules[];
}

/** Decides about addresses: by address rules and closed ranges. */
export class AddressDecisions {
  readonly #mode: PolicyMode;
  readonly #rules = new PrefixTable<NetworkRules>();
  readonly #closed = new PrefixTable<ClosedRange[]>();

  constructor(mode: PolicyMode, rules: readonly EgressRule[], host: HostAddresses) {
    this.#mode = mode;
    for (const range of [...closedRanges, ...ownRanges(host.own)]) this.#closed.at(range.network, () => []).push(range);
    for (const rule of rules) {
      if (rule.kind !== 'address') continue;
      const network = parseNetwork(`${rule.network}/${String(rule.prefixLength)}`);
      if (network === undefined) throw new TypeError(`no network: ${rule.text}`);
      this.#rules.at(network, () => ({ network, ports: new PortTable() })).ports.add(rule);
    }
  }

  /** By address rules alone: for traffic that no name stands for. */
  reach(to: { address: string; port: number; transport: 'tcp' | 'udp' }): Verdict {
    const standing = this.#standing(to.address);
    if (standing === undefined || this.#mode === 'none') return { allowed: false, reason: 'address' };
    const { closed, naming } = standing;
    if (this.#mode === 'open' && closed.length === 0) return { allowed: true };
    if (naming.length === 0) return { allowed: false, reason: closed.length > 0 ? 'private-range' : 'address' };
    const rule = ruleFor(naming, to.transport, to.port);
    if (rule !== undefined) return { allowed: true, rule };
    const other = ruleFor(naming, to.transport === 'tcp' ? 'udp' : 'tcp', to.port);
    return { allowed: false, reason: other === undefined ? 'port' : 'protocol' };
  }

  /** `undefined` where only the word `private` after the name's rule would open the address. */
  use(addressText: string, port: number | undefined): Verdict | undefined {
    const standing = this.#standing(addressText);
    if (standing === undefined) return { allowed: false, reason: 'rebind' };
    const { closed, naming } = standing;
    if (closed.length === 0) return { allowed: true };
    const rule =
      port === undefined ? naming[0]?.ports.first() : (ruleFor(naming, 'tcp', port) ?? ruleFor(naming, 'udp', port));
    if (rule !== undefined) return { allowed: true, rule };
    return closed.every(({ kind }) => kind === 'private') ? undefined : { allowed: false, reason: 'rebind' };
  }

  #standing(text: string): Standing | undefined {
    const given = parseAddress(text);
    if (given === undefined) return undefined;
    const address: Address = embeddedIpv4(given) ?? given;
    const closed = this.#closed.covering(address).flat();
    const naming = this.#rules
      .covering(address)
      .filter((rules) => closed.every((range) => isOpenedBy(rules.network, range, closed)));
    return { closed, naming };
  }
}

function ruleFor(naming: readonly NetworkRules[], transport: 'tcp' | 'udp', port: number): AddressRule | undefined {
  for (const { ports } of naming) {
    const rule = ports.find(transport, port);
    if (rule !== undefined) return rule;
  }
  return undefined;
}
