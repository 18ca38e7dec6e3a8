import type { Policy } from './egress/policy/policy.ts';
import { reachableNetworks } from './egress/policy/reachable-networks.ts';

/** Sets of the host's table: who may reach which address of the host, on one port or on every one. */
const openedPorts = 'opened_ports';
const openedHosts = 'opened_hosts';

/** For a table's document. */
export const openingSets = `  set ${openedPorts} {
    type ipv4_addr . ipv4_addr . inet_proto . inet_service
  }
  set ${openedHosts} {
    type ipv4_addr . ipv4_addr . inet_proto
  }
`;

/** What a chain accepts by those sets. */
export const openingRules: readonly string[] = [
  `ip saddr . ip daddr . meta l4proto . th dport @${openedPorts} accept`,
  `ip saddr . ip daddr . meta l4proto @${openedHosts} accept`,
];

/**
 * What the address rules of a policy open of the host itself to the sandbox that has this source address, each as `SET { ELEMENT }`. Only a
 * rule for that single address names an address of the host. IPv4 alone, as a sandbox has no other.
 */
export function hostOpenings(sourceAddress: string, policy: Policy, own: readonly string[]): string[] {
  const addresses = new Set(own);
  const naming = policy.rules.filter(
    (rule) => rule.kind === 'address' && rule.family === 4 && rule.prefixLength === 32 && addresses.has(rule.network),
  );
  const openings = reachableNetworks({ mode: policy.mode, rules: naming }, { own }).map(
    ({ network, port, transport }) => {
      const place = `${sourceAddress} . ${network.replace('/32', '')} . ${transport}`;
      return port === 'any' ? `${openedHosts} { ${place} }` : `${openedPorts} { ${place} . ${String(port)} }`;
    },
  );
  return [...new Set(openings)];
}
