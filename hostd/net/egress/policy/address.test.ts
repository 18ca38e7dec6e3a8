import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatAddress, networkContains, networkOf, parseAddress, parseNetwork } from './address.ts';

it.each([
  ['1.2.3.4', 0x01020304n],
  ['255.255.255.255', 0xffffffffn],
  ['::', 0n],
  ['::1', 1n],
  ['1::', 1n << 112n],
  ['1:2:3:4:5:6:7:8', 0x00010002000300040005000600070008n],
  ['::1.2.3.4', 0x01020304n],
  ['1:2:3:4:5:6:1.2.3.4', 0x00010002000300040005000601020304n],
  ['FFFF::ABCD', (0xffffn << 112n) | 0xabcdn],
])('%s is a number', (text, value) => {
  expect(parseAddress(text)?.value).toBe(value);
});

it.each([
  '',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '256.1.1.1',
  '1.2.3.4 ',
  ':::',
  '1::2::3',
  '::1%lo',
  '[::1]',
  '12345::',
  '1:2:3:4:5:6:7:8:9',
  'x',
])('%j is none', (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

it('is written so that it reads as the same address, in one form for each', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseAddress(text);
      if (address === undefined) throw new Error(text);
      const written = formatAddress(address);
      expect(parseAddress(written)).toEqual(address);
      expect(parseAddress(text.toUpperCase())).toEqual(address);
    }),
    { numRuns: 500 },
  );
  expect(formatAddress({ family: 6, value: 1n })).toBe('::1');
  expect(formatAddress({ family: 6, value: 0x20010db8000000000001000000000001n })).toBe('2001:db8::1:0:0:1');
});

it.each([
  ['10.1.2.3/8', '10.0.0.0', 8],
  ['10.1.2.3', '10.1.2.3', 32],
  ['1.2.3.4/0', '0.0.0.0', 0],
  ['2001:db8::1/32', '2001:db8::', 32],
  ['2001:db8::1', '2001:db8::1', 128],
])('%s is a network', (text, base, prefixLength) => {
  const network = parseNetwork(text);
  expect(network?.prefixLength).toBe(prefixLength);
  expect(network && formatAddress({ family: network.family, value: network.base })).toBe(base);
});

it.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0.0/8/8', '::/129', '/8', '10.0.0.0/8 '])(
  '%j is none',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  },
);

it('a network holds its own addresses and narrower networks, of its family', () => {
  const network = (text: string) => parseNetwork(text) ?? networkOf({ family: 4, value: 0n }, 32);
  expect(networkContains(network('10.0.0.0/8'), network('10.255.0.0/16'))).toBe(true);
  expect(networkContains(network('10.0.0.0/8'), network('10.0.0.0/8'))).toBe(true);
  expect(networkContains(network('10.0.0.0/8'), network('0.0.0.0/0'))).toBe(false);
  expect(networkContains(network('10.0.0.0/8'), network('11.0.0.0/16'))).toBe(false);
  expect(networkContains(network('::/0'), network('10.0.0.0/8'))).toBe(false);
  expect(networkContains(network('0.0.0.0/0'), network('::/0'))).toBe(false);
});
