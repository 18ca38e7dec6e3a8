import { expect, test } from 'vitest';
import { decodeFile, parseNamedValues, parsePathLines } from './parse.ts';

test.each<[what: string, text: string, entries: [string, string][], problem?: string]>([
  ['nothing', '', []],
  ['a line', 'a=1', [['a', '1']]],
  [
    'lines, in order, empty ones between',
    '\na=1\n\n\nb=2\na=3\n',
    [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ],
  ],
  ['an empty value', 'a=', [['a', '']]],
  ['= in a value', 'a=b=c', [['a', 'b=c']]],
  ['<< in a value', 'a=b<<c', [['a', 'b<<c']]],
  ['blanks, which are kept', ' a = b ', [[' a ', ' b ']]],
  [
    '\\r at the end of a value, which is kept',
    'a=1\r\nb=2\r\n',
    [
      ['a', '1\r'],
      ['b', '2\r'],
    ],
  ],
  ['a block', 'a<<END\none\ntwo\nEND\n', [['a', 'one\ntwo']]],
  ['a block with = in its delimiter', 'a<<E=F\none\nE=F', [['a', 'one']]],
  ['a block with << in its delimiter', 'a<<b<<c\none\nb<<c\n', [['a', 'one']]],
  ['an empty block', 'a<<END\nEND', [['a', '']]],
  ['a block of one empty line', 'a<<END\n\nEND', [['a', '']]],
  ['a block of two empty lines', 'a<<END\n\n\nEND', [['a', '\n']]],
  [
    'a block that holds other forms',
    'a<<END\nb=1\nc<<D\n END\nEND \nEND\nd=2',
    [
      ['a', 'b=1\nc<<D\n END\nEND '],
      ['d', '2'],
    ],
  ],
  ['\\r in a block and before its end', 'a<<END\r\none\r\nEND\r\n', [['a', 'one\r']]],
  ['a block that never ends', 'x=1\na<<END\none\ntwo\n', [['x', '1']], 'starts in line 2'],
  ['a block whose last line has no end', 'a<<END\none\nEN', [], 'starts in line 1'],
  ['a block that starts in the last line', 'a<<END', [], 'starts in line 1'],
  ['no delimiter', 'a<<\none\n', [], 'line 1 needs'],
  ['no name before <<', '<<END\none\nEND\n', [], 'line 1 needs'],
  ['no name before =', 'x=1\n=1\ny=2', [['x', '1']], 'line 2 has no name'],
  ['neither form', 'x=1\n\nnonsense\ny=2', [['x', '1']], 'line 3 has neither'],
])('%s', (_, text, entries, problem) => {
  const parsed = parseNamedValues(text);
  expect(parsed.entries.map(({ name, value }) => [name, value])).toEqual(entries);
  if (problem === undefined) expect(parsed.problem).toBeUndefined();
  else expect(parsed.problem).toContain(problem);
});

test('a problem never shows a value', () => {
  expect(parseNamedValues('the secret').problem).not.toContain('secret');
  expect(parseNamedValues('a<<E\nsecret').problem).not.toContain('secret');
});

test('marks of UTF-8 and UTF-16 are taken off, broken characters replaced', () => {
  expect(decodeFile(Buffer.from('\ufeffa=ä'))).toBe('a=ä');
  expect(decodeFile(Buffer.from('\ufeffa=ä', 'utf16le'))).toBe('a=ä');
  expect(decodeFile(Buffer.from('\ufeffa=ä', 'utf16le').swap16())).toBe('a=ä');
  expect(decodeFile(Buffer.from([0x61, 0x3d, 0xff, 0x00]))).toBe('a=\ufffd\0');
});

test('folders for PATH: one a line, whatever ends it', () => {
  expect(parsePathLines('/a\n/b\r\n\n/c\r/d d ')).toEqual(['/a', '/b', '/c', '/d d ']);
});

test('values without end are read up to a number', () => {
  const { entries, problem } = parseNamedValues('a=\n'.repeat(10_001));
  expect(entries).toHaveLength(10_000);
  expect(problem).toMatch(/line 10001 is beyond the 10000/);
  expect(parseNamedValues('a=\n'.repeat(10_000) + '\n')).not.toHaveProperty('problem');
});
