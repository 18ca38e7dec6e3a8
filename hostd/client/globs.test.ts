import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chosenBy, expandBraces } from './globs.ts';

function covers(glob: string, path: string): boolean {
  return chosenBy([glob])(path);
}

describe('a glob', () => {
  test('stays within one name unless it says **', () => {
    expect(covers('*.log', 'a.log')).toBe(true);
    expect(covers('*.log', 'd/a.log')).toBe(false);
    expect(covers('*/*.log', 'd/a.log')).toBe(true);
    expect(covers('**/*.log', 'a.log')).toBe(true);
    expect(covers('**/*.log', 'd/e/a.log')).toBe(true);
    expect(covers('a/**/c', 'a/c')).toBe(true);
    expect(covers('a/**/c', 'a/x/y/c')).toBe(true);
    expect(covers('a/**/c', 'b/a/c')).toBe(false);
    expect(covers('*', '.hidden')).toBe(true);
  });

  test('that names a folder covers all beneath it; ** at its end does not cover the folder itself', () => {
    expect(covers('dist', 'dist/a/b')).toBe(true);
    expect(covers('./dist/', 'dist/a')).toBe(true);
    expect(covers('dist/**', 'dist')).toBe(false);
    expect(covers('dist/**', 'dist/a/b')).toBe(true);
    expect(covers('.', 'anything/at/all')).toBe(true);
    expect(covers('dist', 'distance')).toBe(false);
  });

  test('knows ?, sets and backslashes', () => {
    expect(covers('?', 'ü')).toBe(true);
    expect(covers('?', '😀')).toBe(true);
    expect(covers('??', 'a')).toBe(false);
    expect(covers('[a-c]x', 'bx')).toBe(true);
    expect(covers('[!a-c]x', 'bx')).toBe(false);
    expect(covers('[]]', ']')).toBe(true);
    expect(covers('[ä-ü]', 'ö')).toBe(true);
    expect(covers('[', '[')).toBe(true);
    expect(covers('\\*', '*')).toBe(true);
    expect(covers('\\*', 'a')).toBe(false);
    expect(covers('a*b*c', 'aXbbYcc')).toBe(true);
    expect(covers('a?', 'a\n')).toBe(true);
  });

  test('with many stars does not take long on a name made for it', () => {
    expect(covers('*a'.repeat(40) + 'b', 'a'.repeat(250))).toBe(false);
    expect(covers(`${'**/a/'.repeat(20)}b`, `${'a/'.repeat(100)}c`)).toBe(false);
  });

  test('finds any name by itself with its special characters escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        fc.pre(!/[/]|^\.{1,2}$/.test(name));
        expect(covers(name.replaceAll(/[\\*?[\]!]/g, '\\$&'), name)).toBe(true);
      }),
    );
  });
});

test('a pattern that begins with ! takes away, wherever it stands; without any pattern everything is chosen', () => {
  const chosen = chosenBy(['!**/*.map', 'dist', '!dist/tmp']);
  expect(chosen('dist/a.js')).toBe(true);
  expect(chosen('dist/a.map')).toBe(false);
  expect(chosen('dist/tmp/a.js')).toBe(false);
  expect(chosenBy(['!a'])('b')).toBe(false);
  expect(chosenBy([])('b')).toBe(true);
});

test('braces are written out in order, nested too; odd ones stay', () => {
  expect(expandBraces('a')).toEqual(['a']);
  expect(expandBraces('{a,b}.{c,d}')).toEqual(['a.c', 'a.d', 'b.c', 'b.d']);
  expect(expandBraces('x{a,{b,c}d,}y')).toEqual(['xay', 'xbdy', 'xcdy', 'xy']);
  expect(expandBraces('{a}')).toEqual(['{a}']);
  expect(expandBraces('{a,b')).toEqual(['{a,b']);
  expect(expandBraces('\\{a,b}')).toEqual(['\\{a,b}']);
  expect(expandBraces('{a{b,c}')).toEqual(['{ab', '{ac']);
  expect(() => expandBraces('{a,b}'.repeat(20))).toThrow(/more than 256/);
});
