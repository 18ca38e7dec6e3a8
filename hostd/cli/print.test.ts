import { expect, test } from 'vitest';
import { envEntry, keyValue, wholeNumber } from './common.ts';
import { byteSize, milliseconds, printable, shortDuration, table } from './print.ts';

test('tables line up and carry no trailing blanks', () => {
  expect(
    table(
      ['ID', 'STATE'],
      [
        ['a', 'running'],
        ['longer', ''],
      ],
    ),
  ).toBe('ID      STATE\na       running\nlonger\n');
});

test.each([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [7200, '2h'],
  [200_000, '2d'],
  [-5, '0s'],
])('%d seconds are %s', (seconds, text) => {
  expect(shortDuration(seconds)).toBe(text);
});

test('milliseconds', () => {
  expect([milliseconds(null), milliseconds(3.4), milliseconds(12_340)]).toEqual(['-', '3 ms', '12.3 s']);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1024 ** 2 - 1, '1.0 MiB'],
  [4_404_019, '4.2 MiB'],
  [3 * 1024 ** 3, '3.0 GiB'],
  [1024 ** 5, '1024.0 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});

test('what a terminal takes for more than text is not printed', () => {
  expect(printable('a\u001b[2Jb\r\nc\u202ed\u2028e bücher.example')).toBe('a?[2Jb??c?d?e bücher.example');
});

test('values keep everything after the first =', () => {
  expect(keyValue('a=b=c', { z: '1' })).toEqual({ z: '1', a: 'b=c' });
  expect(() => keyValue('=x')).toThrow('NAME=VALUE');
  expect(envEntry('PATH')).toEqual({ PATH: process.env['PATH'] });
  expect(envEntry('OFFSHOOT_NOT_SET_ANYWHERE')).toEqual({});
});

test.each(['', '-1', '1.5', 'NaN', '1e3', '0x10', ' 5', '99999999999999999999'])('%j is no whole number', (text) => {
  expect(() => wholeNumber(0)(text)).toThrow('whole number');
});
