import { readFile } from 'node:fs/promises';

/** A network, base address and prefix as numbers. */
export interface Range {
  base: number;
  prefixLength: number;
}

/** Set aside for benchmarks (RFC 2544) and rarely used; then addresses of carriers (RFC 6598) and private ones (RFC 1918). */
const pools: readonly Range[] = [
  { base: address(198, 18, 0, 0), prefixLength: 15 },
  { base: address(100, 96, 0, 0), prefixLength: 12 },
  { base: address(10, 192, 0, 0), prefixLength: 12 },
];
const subnetPrefixLength = 24;

/** The /24 subnets that a host may take, those no route of this machine leads to, in an order that starts at a random one. */
export function freeSubnets(routes: readonly Range[], random: number = Math.random()): string[] {
  const candidates = pools.flatMap((pool) => {
    const count = 2 ** (subnetPrefixLength - pool.prefixLength);
    const start = Math.floor(random * count);
    return Array.from({ length: count }, (_, index) => ({
      base: pool.base + ((start + index) % count) * 256,
      prefixLength: subnetPrefixLength,
    }));
  });
  return candidates
    .filter((candidate) => !routes.some((route) => overlaps(route, candidate)))
    .map(
      ({ base, prefixLength }) =>
        `${[24, 16, 8, 0].map((bits) => (base >>> bits) & 255).join('.')}/${String(prefixLength)}`,
    );
}

/** Where this machine sends packets, from /proc/net/route (proc(5): addresses are hexadecimal in the machine's byte order). The default route is left out. */
export function parseRoutes(text: string): Range[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.split('\t');
      const [destination, mask] = [littleEndian(fields[1]), littleEndian(fields[7])];
      if (destination === undefined || mask === undefined || mask === 0) return [];
      return [{ base: destination, prefixLength: 32 - Math.log2(2 ** 32 - mask) }];
    });
}

export async function readRoutes(): Promise<Range[]> {
  return parseRoutes(await readFile('/proc/net/route', 'utf8').catch(() => ''));
}

function overlaps(a: Range, b: Range): boolean {
  const size = 2 ** (32 - Math.min(a.prefixLength, b.prefixLength));
  return Math.floor(a.base / size) === Math.floor(b.base / size);
}

function littleEndian(hex: string | undefined): number | undefined {
  if (hex === undefined || !/^[0-9A-F]{8}$/i.test(hex)) return undefined;
  return Buffer.from(hex, 'hex').readUInt32LE();
}

function address(a: number, b: number, c: number, d: number): number {
  return ((a * 256 + b) * 256 + c) * 256 + d;
}
