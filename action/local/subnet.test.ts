import { describe, expect, it } from 'vitest';
import { networkConfigSchema } from '../../hostd/net/config.ts';
import { reservationOf } from './reserve.ts';
import { freeSubnets, parseRoutes } from './subnet.ts';

/** /proc/net/route of a machine with Docker, a hostd of its own and a company's network. */
const table = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
ob-l1\t000512C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
tun0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
`;

describe('subnets', () => {
  it('routes are read as the kernel writes them, without the default one', () => {
    expect(parseRoutes(table)).toEqual([
      { base: 0xac110000, prefixLength: 16 },
      { base: 0xc6120500, prefixLength: 24 },
      { base: 0x0a000000, prefixLength: 8 },
    ]);
  });

  it('with a route are not taken, however wide the route', () => {
    const free = freeSubnets(parseRoutes(table), 0);
    expect(free.slice(0, 7).at(-1)).toBe('198.18.7.0/24'); // 198.18.5.0 is left out
    expect(free).not.toContain('198.18.5.0/24');
    expect(free.some((subnet) => subnet.startsWith('10.'))).toBe(false);
    expect(freeSubnets([], 0).some((subnet) => subnet.startsWith('10.'))).toBe(true);
    const oneHost = { base: 0xc6120009, prefixLength: 32 };
    expect(freeSubnets([oneHost], 0)[0]).toBe('198.18.1.0/24');
  });

  it('begin at a random one, and all are there', () => {
    expect(freeSubnets([], 0.5)[0]).toBe('198.19.0.0/24');
    expect(new Set(freeSubnets([], 0.999)).size).toBe(freeSubnets([], 0).length);
  });

  it('give names and users that no two of them share and hostd takes', () => {
    const all = freeSubnets([], 0).map(reservationOf);
    expect(new Set(all.map(({ instance }) => instance)).size).toBe(all.length);
    expect(new Set(all.map(({ firstUid }) => firstUid)).size).toBe(all.length);
    for (const { subnet, instance } of all) networkConfigSchema.parse({ subnet, instance });
  });
});
