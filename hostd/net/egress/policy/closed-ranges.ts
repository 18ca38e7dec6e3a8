import { metadataAddresses, privateNetworks } from '../../../contract/egress.ts';
import { addressBits, networkContains, parseNetwork, type Address, type Network } from './address.ts';

/** `private` is what the word `private` after a rule opens; the others only an address rule opens that lies wholly within them. `sandboxes` no rule opens but one for an `own` address there. */
export type ClosedKind =
  'private' | 'loopback' | 'link-local' | 'metadata' | 'multicast' | 'reserved' | 'own' | 'sandboxes';

export interface ClosedRange {
  kind: ClosedKind;
  network: Network;
}

/**
 * What is not the public internet, closed in every mode unless a rule names it. From the IANA registries of special-purpose addresses
 * (iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry, RFC 6890) and of the IPv6 address space. Left out are
 * IPv4 blocks that these call globally reachable (AS112, AMT), IPv6 addresses that stand for an IPv4 address, as that one is looked at
 * instead, and the documentation blocks (RFC 5737, 3849, 9637): no host has an address there that would need protection.
 */
const ranges: Readonly<Record<Exclude<ClosedKind, 'own' | 'sandboxes'>, readonly string[]>> = {
  private: privateNetworks,
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  metadata: metadataAddresses,
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  reserved: [
    '0.0.0.0/8', // this network: RFC 791
    '192.0.0.0/24', // IETF protocol assignments: RFC 6890
    '192.88.99.0/24', // relay of 6to4, given up: RFC 7526
    '198.18.0.0/15', // benchmarking: RFC 2544
    '240.0.0.0/4', // RFC 1112, with the broadcast address: RFC 919
    '2001:1::/32', // IETF protocol assignments under 2001::/23 (RFC 2928): all but Teredo
    '2001:2::/31',
    '2001:4::/30',
    '2001:8::/29',
    '2001:10::/28',
    '2001:20::/27',
    '2001:40::/26',
    '2001:80::/25',
    '2001:100::/24',
    '::/3', // all IPv6 but 2000::/3 (global unicast), fc00::/7, fe80::/10 and ff00::/8: RFC 4291, 2.4
    '4000::/2',
    '8000::/2',
    'c000::/3',
    'e000::/4',
    'f000::/5',
    'f800::/6',
    'fe00::/9',
    'fec0::/10', // site-local, given up: RFC 3879
  ],
};

const isKind = (text: string): text is keyof typeof ranges => text in ranges;

/** Every range but the host's own. */
export const closedRanges: readonly ClosedRange[] = Object.entries(ranges).flatMap(([kind, texts]) =>
  isKind(kind) ? texts.map((text) => ({ kind, network: networkFrom(text) })) : [],
);

/** The addresses of the host, and the networks of its sandboxes. Throws on text that is none. */
export function ownRanges(texts: readonly string[]): ClosedRange[] {
  return texts.map((text) => {
    const network = networkFrom(text);
    const isAddress = network.prefixLength === addressBits(network.family);
    return { kind: isAddress ? 'own' : 'sandboxes', network };
  });
}

/** Whether a rule for a network opens it in spite of this range. `closed` has at least all ranges that hold the network. */
export function isOpenedBy(rule: Network, range: ClosedRange, closed: readonly ClosedRange[]): boolean {
  if (!networkContains(range.network, rule)) return false;
  return (
    range.kind !== 'sandboxes' || closed.some(({ kind, network }) => kind === 'own' && networkContains(network, rule))
  );
}

function networkFrom(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) throw new TypeError(`no address or network: ${text}`);
  return network;
}

const metadata = new Set(
  closedRanges.flatMap(({ kind, network }) =>
    kind === 'metadata' ? [`${String(network.family)}/${String(network.base)}`] : [],
  ),
);

/** The address of a cloud's metadata service. */
export function isMetadataAddress({ family, value }: Address): boolean {
  return metadata.has(`${String(family)}/${String(value)}`);
}
