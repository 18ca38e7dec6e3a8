import { formatAddress, networkContains, parseNetwork, type Network } from '../policy/address.ts';
import { closedRanges, ownRanges } from '../policy/closed-ranges.ts';
import type { HostAddresses, Policy } from '../policy/policy.ts';
import { reachableNetworks } from '../policy/reachable-networks.ts';

/** What address rules open for one transport, IPv4 alone: no two networks of a list, or of a port, overlap, as interval sets demand. */
export interface OpenedNetworks {
  /** Open on every port: `address/length`. */
  anyPort: string[];
  ofPort: { port: number; network: string }[];
}

export function openedNetworks(policy: Policy, host: HostAddresses, transport: 'tcp' | 'udp'): OpenedNetworks {
  const byPort = new Map<number | 'any', string[]>();
  for (const opened of reachableNetworks(policy, host)) {
    if (opened.family !== 4 || opened.transport !== transport) continue;
    byPort.set(opened.port, [...(byPort.get(opened.port) ?? []), opened.network]);
  }
  const ofPort = [...byPort].flatMap(([port, networks]) =>
    port === 'any' ? [] : withoutOverlaps(networks).map((network) => ({ port, network })),
  );
  return { anyPort: withoutOverlaps(byPort.get('any') ?? []), ofPort };
}

/**
 * Addresses that no rule by name ever leads to: connections to them don't go to the proxy. Private networks are among them unless a name
 * may resolve into those; then the guest was given such an address and dials it.
 */
export function shutToNames(policy: Policy, host: HostAddresses): string[] {
  const mayBePrivate = policy.rules.some((rule) => rule.kind === 'name' && rule.allowPrivate);
  const shut = closedRanges.filter(({ kind }) => kind !== 'private' || !mayBePrivate);
  return disjoint([...shut, ...ownRanges(host.own)].map(({ network }) => network).filter(({ family }) => family === 4));
}

/** The same addresses by networks of which none holds another. Throws on text that is no network. */
export function withoutOverlaps(networks: readonly string[]): string[] {
  return disjoint(
    networks.map((text) => {
      const network = parseNetwork(text);
      if (network === undefined) throw new TypeError(`no network: ${text}`);
      return network;
    }),
  );
}

function disjoint(networks: readonly Network[]): string[] {
  const kept: Network[] = [];
  for (const network of networks.toSorted(byBaseThenWidest)) {
    const last = kept.at(-1);
    if (last === undefined || !networkContains(last, network)) kept.push(network);
  }
  return kept.map(({ family, base, prefixLength }) => {
    return `${formatAddress({ family, value: base })}/${String(prefixLength)}`;
  });
}

function byBaseThenWidest(one: Network, other: Network): number {
  if (one.base !== other.base) return one.base < other.base ? -1 : 1;
  return one.prefixLength - other.prefixLength;
}
