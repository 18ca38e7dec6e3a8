/** An IPv4 network: `base` is its first address as an unsigned number. */
export interface Ipv4Network {
  base: number;
  prefixLength: number;
}

/** The address as an unsigned number; undefined when the text is no dotted quad. */
export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const octets = match.slice(1).map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

/** Reads `a.b.c.d/n`; undefined when it is none or has bits set behind the prefix. */
export function parseIpv4Network(text: string): Ipv4Network | undefined {
  const [addressText, prefixText, ...rest] = text.split('/');
  if (addressText === undefined || prefixText === undefined || rest.length > 0) return undefined;
  const base = parseIpv4(addressText);
  const prefixLength = /^\d{1,2}$/.test(prefixText) ? Number(prefixText) : 33;
  if (base === undefined || prefixLength > 32) return undefined;
  if (base % networkSize({ base, prefixLength }) !== 0) return undefined;
  return { base, prefixLength };
}

export function formatIpv4Network(network: Ipv4Network): string {
  return `${formatIpv4(network.base)}/${String(network.prefixLength)}`;
}

export function networkSize(network: Ipv4Network): number {
  return 2 ** (32 - network.prefixLength);
}

export function networksOverlap(one: Ipv4Network, other: Ipv4Network): boolean {
  return one.base < other.base + networkSize(other) && other.base < one.base + networkSize(one);
}

/** Whether `outer` holds all of `inner`. */
export function networkContains(outer: Ipv4Network, inner: Ipv4Network): boolean {
  return outer.base <= inner.base && inner.base + networkSize(inner) <= outer.base + networkSize(outer);
}
