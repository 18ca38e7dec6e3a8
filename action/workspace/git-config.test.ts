import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parseGitConfig, writeGitConfig, type ConfigEntry } from './git-config.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'offshoot-git-config-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What git itself reads: `key\nvalue` each, undefined when it refuses the file. */
function gitReads(text: string): string[] | undefined {
  const file = path.join(folder, 'config');
  writeFileSync(file, Buffer.from(text, 'latin1'));
  const { status, stdout } = spawnSync('git', ['config', '--file', file, '--no-includes', '--list', '-z']);
  if (status !== 0) return undefined;
  return stdout.toString('latin1').split('\0').slice(0, -1);
}

/** As git prints them. Older gits make a blank of each tab in a value, newer ones do not. */
function listed(entries: readonly ConfigEntry[] | undefined): string[] | undefined {
  return entries?.map(({ section, subsection, key, value }) => {
    const name = [section, ...(subsection === undefined ? [] : [subsection]), key].join('.');
    return value === undefined ? name : `${name}\n${value}`;
  });
}

const blanks = (lines: readonly string[] | undefined): string[] | undefined =>
  lines?.map((line) => line.replaceAll(/[\t\r]/g, ' '));

test.each([
  '[core]\n\tbare = false\n\trepositoryformatversion = 0\n',
  '[remote "origin"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  '[a]b=c\n[a] d = e # why\n;comment\n[x "y"]z\n',
  '[A.B]\nKey = Value\n[A "B"]\nKey = "a;b#c" ; d\n',
  '[a "q\\"uo\\\\te\\d"]\n k = " lead and trail "\n j = a\\\n   b\n i = a\\tb\\nc\\\\\\"\n h =\n g = ""\n',
  '\xef\xbb\xbf[a]\r\n b = c\r\n d\r\n',
  '[a]\nk = v "in" w  "x y" z   \n',
  '[a-b]\nk-1 = \xc3\xbc\xff\n',
  '',
  '# only a comment',
  '[a]\nk = ends in a backslash\\',
  '[a]\nk = a blank goes on \\\n',
  '[a]\nk = \\\n  led by blanks \\\n  and more',
])('%j is read as git reads it, and written so that git reads the same', (text) => {
  const read = gitReads(text);
  const entries = parseGitConfig(text);
  expect(blanks(listed(entries))).toEqual(blanks(read));
  expect(gitReads(writeGitConfig(entries ?? []))).toEqual(listed(entries));
});

test.each([
  '[a',
  '[a]\nb = "c\n',
  '[a]\nb = \\x\n',
  '[a]\n=b\n',
  '[a "b]\n',
  '[a "b" ]\n',
  'a = b\n',
  '[a]\nk # c\n',
  '[a_b]\nk\n',
  '[a]\n1k=v\n',
])('%j is refused, as by git', (text) => {
  expect(parseGitConfig(text)).toBeUndefined();
});

test('whatever is accepted git reads in the same way', () => {
  const piece = fc.constantFrom(
    '[a]',
    '[b "c"]',
    '\n',
    ' ',
    '\t',
    '=',
    'key',
    'v1',
    '"',
    '\\',
    '\\n',
    '#',
    ';',
    '\r\n',
    ']',
    '[',
    '"x"',
    '\xe9',
    '.',
    '-',
  );
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `[s]\nk = ${pieces.join('')}`;
      const entries = parseGitConfig(text);
      if (entries === undefined) return;
      accepted += 1;
      expect(blanks(listed(entries))).toEqual(blanks(gitReads(text)));
      expect(gitReads(writeGitConfig(entries))).toEqual(listed(entries));
    }),
    { numRuns: 120 },
  );
  expect(accepted).toBeGreaterThan(15);
});
