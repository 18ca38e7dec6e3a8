import { describe, expect, it } from 'vitest';
import { parseCommand } from './action-command.ts';
import { LineReader } from './dotnet-text.ts';
import { envFileEntries } from './env-file.ts';
import { ProblemMatcher } from './problem-matcher.ts';
import { SecretMasker } from './secret-masker.ts';
import { splitArguments } from './shells.ts';

const known = (name: string): boolean => ['error', 'warning', 'set-output', 'group'].includes(name);

describe('commands in a line', () => {
  const cases: [title: string, line: string, expected: object | undefined][] = [
    ['plain', '::error::bad', { name: 'error', data: 'bad', properties: {} }],
    ['after white space', ' \t::error::bad', { name: 'error', data: 'bad' }],
    ['not after text', 'x::error::bad', undefined],
    ['not after a colon', ':::error::bad', undefined],
    ['not known', '::fault::bad', undefined],
    ['without an end', '::error bad', undefined],
    ['by any case', '::ERROR::bad', { name: 'ERROR', data: 'bad' }],
    ['without data', '::group::', { name: 'group', data: '' }],
    ['properties', '::error file=a.ts,line=3::bad', { properties: { file: 'a.ts', line: '3' } }],
    ['properties unescaped', '::error title=a%3Ab%2Cc%25d%0Ae::x', { properties: { title: 'a:b,c%d\ne' } }],
    ['a property without a value is none', '::error title=,line=1::x', { properties: { line: '1' } }],
    ['a property given twice, by another case', '::error line=1,LINE=2::x', { properties: { line: '2' } }],
    ['data unescaped, %25 last', '::error::a%0D%0Ab%2541', { data: 'a\r\nb%41' }],
    ['data keeps what only properties escape', '::error::a%3Ab', { data: 'a%3Ab' }],
    ['data with colons', '::error::a::b', { data: 'a::b' }],
    ['NEL is white space', '\u0085::error::x', { name: 'error' }],
    ['a byte order mark is not', '\uFEFF::error::x', undefined],
    ['a separator with a zero-width space in it', '::error:\u200B:x', { name: 'error', data: ':x' }],
    ['brackets', '##[error]bad', { syntax: 'brackets', name: 'error', data: 'bad' }],
    ['brackets anywhere', 'text ##[error]bad', { name: 'error', data: 'bad' }],
    ['brackets with properties', '##[error file=a;line=2;]bad', { properties: { file: 'a', line: '2' } }],
    ['brackets unescaped', '##[error]a%3Bb%5Dc%25', { data: 'a;b]c%' }],
    ['only the first brackets count', '##[x]##[error]bad', undefined],
    ['brackets without an end', '##[error bad', undefined],
    ['brackets with a zero-width space in them', '#\u200B#[error]bad', undefined],
    ['colons come first', '::error::a ##[warning]b', { syntax: 'colons', data: 'a ##[warning]b' }],
    ['brackets when the colons are none', '::fault::##[warning]b', { syntax: 'brackets', name: 'warning' }],
    ['nothing', '', undefined],
  ];
  it.each(cases)('%s', (_title, line, expected) => {
    const command = parseCommand(line, known);
    if (expected === undefined) expect(command).toBeUndefined();
    else expect(command).toMatchObject(expected);
  });
});

describe('lines of a stream', () => {
  const read = (...chunks: (string | Buffer)[]): string[] => {
    const reader = new LineReader();
    return [...chunks.flatMap((chunk) => reader.read(Buffer.from(chunk))), ...reader.end()];
  };
  it.each<[string, (string | Buffer)[], string[]]>([
    ['LF', ['a\nb\n'], ['a', 'b']],
    ['CR LF', ['a\r\nb\r\n'], ['a', 'b']],
    ['a lone CR', ['a\rb\rc'], ['a', 'b', 'c']],
    ['CR LF cut between chunks', ['a\r', '\nb'], ['a', 'b']],
    ['CR at the end of a chunk, no LF', ['a\r', 'b'], ['a', 'b']],
    ['empty lines', ['\n\r\n\r'], ['', '', '']],
    ['the rest without an end', ['a\nb'], ['a', 'b']],
    ['UTF-8 cut between chunks', [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1), '\n'], ['é']],
    ['bytes that are not UTF-8', [Buffer.from([0x61, 0xff, 0x0a])], ['a\uFFFD']],
    ['a byte order mark at the start', ['\uFEFF::error::x\n'], ['::error::x']],
  ])('%s', (_title, chunks, lines) => {
    expect(read(...chunks)).toEqual(lines);
  });
});

describe('files of names and values', () => {
  it.each<[string, string, [string, string][]]>([
    ['a pair', 'A=b\n', [['A', 'b']]],
    ['a value with signs of both kinds', 'A=b=c<<d', [['A', 'b=c<<d']]],
    ['a delimiter with an equals sign', 'A<<X=1\nb\nX=1\n', [['A', 'b']]],
    ['blank lines', '\n\nA=b\n\n', [['A', 'b']]],
    ['a CR belongs to the value', 'A=b\r\n', [['A', 'b\r']]],
    ['a long value', 'A<<X\nb\nc\nX\n', [['A', 'b\nc']]],
    ['a long value with CR', 'A<<X\nb\r\nc\r\nX\n', [['A', 'b\r\nc\r']]],
    ['an empty long value', 'A<<X\nX\n', [['A', '']]],
    ['a long value of one line end', 'A<<X\n\n\nX\n', [['A', '\n']]],
    ['the delimiter at the end of the file', 'A<<X\nb\nX', [['A', 'b']]],
    ['the delimiter has to be the whole line', 'A<<X\nX \nXX\nX\n', [['A', 'X \nXX']]],
    ['no name', '=b', [['', 'b']]],
    ['white space counts', ' A = b ', [[' A ', ' b ']]],
  ])('%s', (_title, text, entries) => {
    expect([...envFileEntries(text)]).toEqual(entries);
  });

  it.each([
    ['neither kind', 'A\n'],
    ['a delimiter that is missing', 'A<<X\nb\n'],
    ['a value without its end', 'A<<X\nb'],
    ['no delimiter', 'A<<\n'],
    ['no name before a delimiter', '<<X\nX\n'],
  ])('refuses %s', (_title, text) => {
    expect(() => [...envFileEntries(text)]).toThrow();
  });

  it('has given what came before an error', () => {
    const entries = envFileEntries('A=b\nC\n');
    expect(entries.next().value).toEqual(['A', 'b']);
    expect(() => entries.next()).toThrow();
  });
});

describe('secrets', () => {
  const masked = (text: string, ...secrets: string[]): string => {
    const masker = new SecretMasker();
    for (const secret of secrets) masker.add(secret);
    return masker.mask(text);
  };
  it.each<[string, string, string, string]>([
    ['itself', 'a hunter2 b hunter2', 'hunter2', 'a *** b ***'],
    ['a line of several', 'x second y', 'first\nsecond', 'x *** y'],
    ['in base64', Buffer.from('hunter2').toString('base64'), 'hunter2', '***'],
    ['in base64 after one byte', Buffer.from('unter2').toString('base64'), 'hunter2', '***'],
    ['in base64 after two bytes', Buffer.from('nter2').toString('base64'), 'hunter2', '***'],
    ['in a URL', 'x=a%2Fb%21c', 'a/b!c', 'x=***'],
    ['in JSON', '"a\\"b\\\\c"', 'a"b\\c', '"***"'],
    ['in XML', 'a&lt;b&amp;c', 'a<b&c', '***'],
    ['touching ones as one', 'abab', 'ab', '***'],
    ['white space alone hides nothing', 'a b', ' ', 'a b'],
  ])('%s', (_title, text, secret, expected) => {
    expect(masked(text, secret)).toBe(expected);
  });
});

describe('problem matchers', () => {
  const eslint = {
    owner: 'lint',
    pattern: [
      { regexp: '^(\\S+\\.ts)$', file: 1 },
      { regexp: '^ +(\\d+):(\\d+) +(error|warning) +(.*)$', line: 1, column: 2, severity: 3, message: 4, loop: true },
    ],
  };
  it('takes one line', () => {
    const matcher = new ProblemMatcher({
      owner: 'x',
      severity: 'warning',
      pattern: [{ regexp: 'E: (.*)', message: 1 }],
    });
    expect(matcher.match('E: bad')).toEqual({ message: 'bad', severity: 'warning' });
    expect(matcher.match('fine')).toBeUndefined();
  });
  it('keeps the first line while the last one loops', () => {
    const matcher = new ProblemMatcher(eslint);
    expect(matcher.match('a.ts')).toBeUndefined();
    expect(matcher.match('  1:2  error  bad')).toMatchObject({ file: 'a.ts', line: '1', column: '2', message: 'bad' });
    expect(matcher.match('  3:4  warning  odd')).toMatchObject({ file: 'a.ts', line: '3', severity: 'warning' });
    expect(matcher.match('')).toBeUndefined();
    expect(matcher.match('  5:6  error  alone')).toBeUndefined();
  });
});

describe('arguments of a shell', () => {
  it.each<[string, string[]]>([
    ['--a  -b c', ['--a', '-b', 'c']],
    ['"a b" c\\"d', ['a b', 'c"d']],
    ['-c "" x', ['-c', '', 'x']],
    ['a\\b', ['a\\b']],
  ])('%s', (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });
});
