import { networkContains, type Address, type Network } from './address.ts';

interface Embedding {
  prefix: bigint;
  prefixLength: number;
  ipv4(value: bigint): bigint;
}

const low32 = (value: bigint) => value & 0xffff_ffffn;

/** IPv6 addresses that stand for an IPv4 address, which is where their packets end. */
const embeddings: readonly Embedding[] = [
  // IPv4-mapped, ::ffff:0:0/96: RFC 4291, 2.5.5.2
  { prefix: 0xffffn, prefixLength: 96, ipv4: low32 },
  // NAT64, 64:ff9b::/96: RFC 6052, 2.1
  { prefix: 0x0064_ff9bn << 64n, prefixLength: 96, ipv4: low32 },
  // 6to4, 2002::/16: RFC 3056, 2
  { prefix: 0x2002n, prefixLength: 16, ipv4: (value) => low32(value >> 80n) },
  // Teredo, 2001::/32, the client's address with its bits flipped: RFC 4380, 4
  { prefix: 0x2001_0000n, prefixLength: 32, ipv4: (value) => low32(value) ^ 0xffff_ffffn },
];

/** The IPv4 address inside an IPv6 address that stands for one; else undefined. */
export function embeddedIpv4(address: Address): Address | undefined {
  if (address.family === 4) return undefined;
  const form = embeddings.find(({ prefix, prefixLength }) => address.value >> BigInt(128 - prefixLength) === prefix);
  return form === undefined ? undefined : { family: 4, value: form.ipv4(address.value) };
}

/** The networks whose addresses stand for IPv4 addresses. */
export const embeddingNetworks: readonly Network[] = embeddings.map(({ prefix, prefixLength }) => ({
  family: 6,
  base: prefix << BigInt(128 - prefixLength),
  prefixLength,
}));

/** Whether every address of the network stands for an IPv4 address. */
export function embeddedIpv4Network(network: Network): boolean {
  return embeddingNetworks.some((embedding) => networkContains(embedding, network));
}
