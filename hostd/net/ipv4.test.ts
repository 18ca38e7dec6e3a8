import { expect, test } from 'vitest';
import { formatIpv4, networkContains, networksOverlap, parseIpv4, parseIpv4Network } from './ipv4.ts';

test.for(['0.0.0.0', '10.83.255.254', '255.255.255.255'])('%s survives the way to a number and back', (text) => {
  const address = parseIpv4(text);
  expect(address).toBeTypeOf('number');
  expect(formatIpv4(address ?? -1)).toBe(text);
});

test.for(['', '10.0.0', '10.0.0.256', '10.0.0.1 ', '1.2.3.4.5', 'a.b.c.d', '::1', '-1.0.0.0'])(
  '%j is no address',
  (text) => {
    expect(parseIpv4(text)).toBeUndefined();
  },
);

test.for(['10.0.0.0', '10.0.0.0/33', '10.0.0.1/24', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/x'])(
  '%j is no network',
  (text) => {
    expect(parseIpv4Network(text)).toBeUndefined();
  },
);

const network = (text: string) => parseIpv4Network(text) ?? { base: -1, prefixLength: 0 };

test('networks overlap and hold each other', () => {
  expect(networksOverlap(network('10.83.0.0/16'), network('10.83.4.0/24'))).toBe(true);
  expect(networksOverlap(network('10.83.4.0/24'), network('10.83.0.0/16'))).toBe(true);
  expect(networksOverlap(network('10.83.0.0/16'), network('10.84.0.0/16'))).toBe(false);
  expect(networksOverlap(network('192.0.0.0/8'), network('192.255.255.0/24'))).toBe(true);
  expect(networkContains(network('10.0.0.0/8'), network('10.83.0.0/16'))).toBe(true);
  expect(networkContains(network('10.83.0.0/16'), network('10.0.0.0/8'))).toBe(false);
});
