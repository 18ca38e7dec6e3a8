import { addressBits, formatAddress, networkContains, parseNetwork, type Network } from './address.ts';
import { closedRanges, isOpenedBy, ownRanges } from './closed-ranges.ts';
import { embeddingNetworks } from './embedded-ipv4.ts';
import type { HostAddresses, Policy } from './policy.ts';

export interface ReachableNetwork {
  family: 4 | 6;
  /** `address/length` */
  network: string;
  port: number | 'any';
  transport: 'tcp' | 'udp';
}

/**
 * What the address rules of a policy open, for filters that only know networks: each rule without the closed ranges it does not name. A
 * packet to one of these is what `mayReach` allows by a rule. Networks of different rules may overlap.
 */
export function reachableNetworks(policy: Policy, host: HostAddresses): ReachableNetwork[] {
  if (policy.mode === 'none') return [];
  const closed = [...closedRanges, ...ownRanges(host.own)];
  return policy.rules.flatMap((rule) => {
    if (rule.kind !== 'address') return [];
    const network = parseNetwork(`${rule.network}/${String(rule.prefixLength)}`);
    if (network === undefined) throw new TypeError(`no network: ${rule.text}`);
    const shut = closed.filter((range) => !isOpenedBy(network, range, closed)).map((range) => range.network);
    const holes = [...shut, ...embeddingNetworks];
    const { family, port, transport } = rule;
    return withoutHoles(network, holes).map((part) => ({ family, network: formatNetwork(part), port, transport }));
  });
}

/** All closed ranges of one family, `address/length`, without those that lie in another: what a filter closes after it opened `reachableNetworks`. */
export function closedNetworks(family: 4 | 6, host: HostAddresses): string[] {
  const networks = [...closedRanges, ...ownRanges(host.own)].flatMap(({ network }) =>
    network.family === family ? [network] : [],
  );
  return networks
    .filter(
      (network, index) =>
        !networks.some(
          (other, at) =>
            at !== index && networkContains(other, network) && (at < index || !networkContains(network, other)),
        ),
    )
    .toSorted((one, other) => (one.base < other.base ? -1 : 1))
    .map(formatNetwork);
}

function withoutHoles(network: Network, holes: readonly Network[]): Network[] {
  if (holes.some((hole) => networkContains(hole, network))) return [];
  const inside = holes.filter((hole) => networkContains(network, hole));
  if (inside.length === 0) return [network];
  return halves(network).flatMap((half) => withoutHoles(half, inside));
}

function halves({ family, base, prefixLength }: Network): Network[] {
  const size = 1n << BigInt(addressBits(family) - prefixLength - 1);
  return [base, base + size].map((start) => ({ family, base: start, prefixLength: prefixLength + 1 }));
}

function formatNetwork({ family, base, prefixLength }: Network): string {
  return `${formatAddress({ family, value: base })}/${String(prefixLength)}`;
}
