import { expect, test } from 'vitest';
import { checkArtifactGlobs, globRoots } from './artifact-globs.ts';

const roots = (globs: readonly string[]): [string, string[]][] =>
  globRoots(globs, '/home/runner/work/a/a').map(({ folder, include }) => [folder, include]);

test('globs are looked for in one walk of the workspace, other absolute ones in their own folder', () => {
  expect(
    roots(['dist/**', '/home/runner/work/a/a/x', '/tmp/report.xml', '/tmp/more', '/var/log/*/x.log', '/*.txt']),
  ).toEqual([
    ['/home/runner/work/a/a', ['dist/**', 'x']],
    ['/tmp', ['report.xml', 'more']],
    ['/var/log', ['*/x.log']],
    ['/', ['*.txt']],
  ]);
  expect(roots(['/home/runner/work/a/a'])).toEqual([['/home/runner/work/a/a', ['.']]]);
  expect(roots(['/home/runner/work/a/ab/x'])).toEqual([['/home/runner/work/a/ab', ['x']]]);
});

test('braces are written out, also across folders; what they stand for is known by the glob as written', () => {
  const [first, second] = globRoots(['{a,/tmp/b}', 'c'], '/w');
  expect(first).toMatchObject({ folder: '/w', include: ['a', 'c'] });
  expect(second).toMatchObject({ folder: '/tmp', include: ['b'] });
  expect(first?.written).toEqual(
    new Map([
      ['{a,/tmp/b}', ['a']],
      ['c', ['c']],
    ]),
  );
});

test('! takes away where it can name anything', () => {
  expect(roots(['!**/*.map', 'dist', '/tmp/x', '!/tmp/x/y', '!/home/runner/work/a/a/dist/z'])).toEqual([
    ['/home/runner/work/a/a', ['dist', '!**/*.map', '!dist/z']],
    ['/tmp', ['x', '!x/y']],
  ]);
  expect(roots(['\\!x'])).toEqual([['/home/runner/work/a/a', ['\\!x']]]);
  expect(roots(['{!x,y}'])).toEqual([['/home/runner/work/a/a', ['\\!x', 'y']]]);
});

test.each(['../x', 'a/../../x', '/w/../etc/passwd', '', '!', '!../x', '!/tmp/../x', '{a,..}/x', 'a\0'])(
  '%j is refused',
  (glob) => {
    expect(() => globRoots(['ok', glob], '/w')).toThrow(/The artifacts glob/);
    expect(() => {
      checkArtifactGlobs(['ok', glob]);
    }).toThrow(
      expect.objectContaining({
        code: 'action-input',
        message: expect.stringMatching(/^The input artifacts: .*(empty|\.\.)/) as string,
      }) as Error,
    );
  },
);

test('globs that can be collected are fine beforehand; too many in braces are not', () => {
  checkArtifactGlobs(['dist/**', '!**/*.map', '/tmp/{a,b}', 'a..b', '.']);
  checkArtifactGlobs([]);
  expect(() => {
    checkArtifactGlobs(['{a,b}'.repeat(10)]);
  }).toThrow(/The input artifacts: .*256/);
});
