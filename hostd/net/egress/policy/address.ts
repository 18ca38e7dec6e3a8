import { isIPv4, isIPv6 } from 'node:net';

export interface Address {
  family: 4 | 6;
  /** The address as an unsigned number. */
  value: bigint;
}

/** `base` is the first address. */
export interface Network {
  family: 4 | 6;
  base: bigint;
  prefixLength: number;
}

/** Reads a dotted quad without leading zeros, or an IPv6 address without brackets and zone; undefined for all else. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return { family: 4, value: text.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return { family: 6, value: ipv6Value(text) };
}

/** RFC 5952 for IPv6. */
export function formatAddress({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => ((value >> shift) & 255n).toString()).join('.');
  const groups = value.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
  return shortIpv6(groups.join(':'));
}

/** Reads `address/length`, or an address alone as a network of one. Bits behind the prefix are cleared. */
export function parseNetwork(text: string): Network | undefined {
  const [addressText = '', lengthText, ...rest] = text.split('/');
  const address = parseAddress(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  const bits = addressBits(address.family);
  if (lengthText === undefined) return networkOf(address, bits);
  if (!/^(0|[1-9]\d{0,2})$/.test(lengthText) || Number(lengthText) > bits) return undefined;
  return networkOf(address, Number(lengthText));
}

/** The network of this prefix length that the address lies in. */
export function networkOf({ family, value }: Address, prefixLength: number): Network {
  const hostBits = BigInt(addressBits(family) - prefixLength);
  return { family, base: (value >> hostBits) << hostBits, prefixLength };
}

export function addressBits(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/** Whether `outer` holds all of `inner`. */
export function networkContains(outer: Network, inner: Network): boolean {
  if (outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false;
  return networkOf({ family: inner.family, value: inner.base }, outer.prefixLength).base === outer.base;
}

/** URL's parser (WHATWG) writes every form of an IPv6 address in one way: no dotted quad inside, `::` for the longest run of zeros. */
function shortIpv6(text: string): string {
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

function ipv6Value(text: string): bigint {
  const [front = '', back] = shortIpv6(text).split('::');
  const left = front === '' ? [] : front.split(':');
  const right = back === undefined || back === '' ? [] : back.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
