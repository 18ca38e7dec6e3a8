import { expect, test } from 'vitest';
import { printable, readAuthority, readHostName } from './host-name.ts';

test.each([
  ['Good.Test', 'good.test'],
  ['good.test.', 'good.test'],
  ['xn--bcher-kva.test', 'xn--bcher-kva.test'],
  ['a_b.test', 'a_b.test'],
  ['r3---sn.test', 'r3---sn.test'],
  ['1.2.3.test', '1.2.3.test'],
])('%s is a host name', (text, name) => {
  expect(readHostName(text)).toBe(name);
});

test.each([
  '',
  '.',
  '..',
  'a..b',
  '.a',
  'a..',
  '-a.test',
  'a-.test',
  'a b',
  '*.test',
  'a/b',
  'a:1',
  'a@b',
  'a%2eb',
  'b\u00fccher.test',
  '\u212aelvin.test',
])('%j is none', (text) => {
  expect(readHostName(text)).toBeUndefined();
});

test.each(['1.2.3.4', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', 'a.0x', 'a.1', '1.2.3.4.'])(
  '%s could be read as an address, so it is no name',
  (text) => {
    expect(readHostName(text)).toBeUndefined();
  },
);

test('a name is at most 253 characters long, a label 63', () => {
  const label = 'a'.repeat(63);
  const longest = [label, label, label, 'b'.repeat(61)].join('.');
  expect([longest.length, readHostName(longest)]).toEqual([253, longest]);
  expect([readHostName(`${longest}b`), readHostName(`${label}a.test`)]).toEqual([undefined, undefined]);
});

test('an authority is a name or an address, with or without a port', () => {
  expect(readAuthority('Good.test:8080')).toEqual({ host: 'good.test', literal: false, port: 8080 });
  expect(readAuthority('192.0.2.1')).toEqual({ host: '192.0.2.1', literal: true, port: undefined });
  expect(readAuthority('[2001:DB8::1]:80')).toEqual({ host: '2001:db8::1', literal: true, port: 80 });
  const odd = [
    'good.test:',
    'good.test:0',
    'good.test:65536',
    'good.test:x',
    'a@good.test',
    '[::1',
    '[::1]x',
    '[fe80::1%1]',
  ];
  expect([...odd, '::1', '[good.test]', 'good.test:80:80', ''].map(readAuthority)).toEqual(Array(12).fill(undefined));
});

test('what a guest chose is shown in printable ASCII, and short', () => {
  expect(printable('a\r\nb\u001b[2J\u00e9 c')).toBe('a??b?[2J??c');
  expect(printable('x'.repeat(1000)).length).toBe(128);
});
