import { describe, expect, test } from 'vitest';
import { Excludes } from './excludes.ts';

/** Whether a path is left out, going down to it as the scan does; a path that ends in a slash is a folder. */
function isExcluded(patterns: readonly string[], path: string): boolean {
  const excludes = new Excludes(patterns);
  const names = path.split('/').filter((name) => name !== '');
  let place = excludes.root;
  for (const [index, name] of names.entries()) {
    const answer = excludes.ask(place, name, index < names.length - 1 || path.endsWith('/'));
    if (answer.excluded) return true;
    place = answer.place;
  }
  return false;
}

describe('what people know from .gitignore', () => {
  test.each([
    ['node_modules', 'node_modules/', true],
    ['node_modules', 'a/b/node_modules/c', true],
    ['node_modules', 'node_modules2/', false],
    ['*.log', 'a/b.log', true],
    ['*.log', 'a.logs', false],
    ['**/target', 'target/', true],
    ['**/target', 'a/b/target/c', true],
    ['docs/', 'docs/a', true],
    ['docs/', 'a/docs/b', true],
    ['docs/', 'docs', false],
    ['/build', 'build/x', true],
    ['/build', 'a/build/x', false],
    ['a/b', 'a/b', true],
    ['a/b', 'x/a/b', false],
    ['./a', 'a', true],
    ['./a', 'x/a', false],
    ['a/*', 'a/b/c', true],
    ['a/**', 'a/', false],
    ['a/**', 'a/b', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['{dist,out}', 'x/out/y', true],
    ['', 'a', false],
    ['# all', '# all', false],
    ['\\#a', '#a', true],
    ['[ab]?', 'bü', true],
  ])('%s and %s: %s', (pattern, path, excluded) => {
    expect(isExcluded([pattern], path)).toBe(excluded);
  });

  test('the last pattern that matches decides, but nothing comes back beneath a folder that is out', () => {
    expect(isExcluded(['*.log', '!keep.log'], 'a/keep.log')).toBe(false);
    expect(isExcluded(['!keep.log', '*.log'], 'a/keep.log')).toBe(true);
    expect(isExcluded(['logs', '!logs/keep'], 'logs/keep')).toBe(true);
    expect(isExcluded(['logs/*', '!logs/keep'], 'logs/keep')).toBe(false);
  });
});
