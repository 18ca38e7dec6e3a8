import { expect, test } from 'vitest';
import { namedValues, parseEnvInput } from './env-input.ts';

function failure(input: string): { message: string; details: unknown } {
  try {
    parseEnvInput(input);
  } catch (error) {
    return error as { message: string; details: unknown };
  }
  throw new Error('no error');
}

test('lines set a value or ask for the step\u2019s; empty lines and comments say nothing', () => {
  expect(parseEnvInput('\n# comment\n  # one more\nA=1\n  B=2\nC\n D  \r\n\n')).toEqual([
    { name: 'A', value: '1', line: 4 },
    { name: 'B', value: '2', line: 5 },
    { name: 'C', value: undefined, line: 6 },
    { name: 'D', value: undefined, line: 7 },
  ]);
  expect(parseEnvInput('')).toEqual([]);
});

test('values are taken as they are', () => {
  expect(parseEnvInput('A="x y" # z \nB=\nC= $HOME=\\n').map(({ value }) => value)).toEqual([
    '"x y" # z ',
    '',
    ' $HOME=\\n',
  ]);
});

test.each([
  ['A B', 'line 1 is neither'],
  ['OK=1\nA-B=secret', 'line 2 has a name with other'],
  ['A =secret', 'line 1 has a name with other'],
  ['=secret', 'line 1 has no name'],
  ['1A=secret', 'line 1 has a name'],
  ['A=sec\0ret', 'line 1 has a NUL'],
  ['GITHUB_OUTPUT=/x', "line 1 names GITHUB_OUTPUT, whose file is the sandbox's own"],
  ['export A=secret', 'line 1 has a name with other'],
])('%j is refused: %s', (input, message) => {
  const error = failure(input);
  expect(error).toMatchObject({ code: 'action-input' });
  expect(error.message).toContain(message);
  expect(JSON.stringify([error.message, error.details])).not.toContain('secret');
});

test('every bad line is named', () => {
  expect(failure('A B\nOK=1\nC D').details).toEqual({
    issues: [
      { path: 'env', message: expect.stringContaining('line 1') as string },
      { path: 'env', message: expect.stringContaining('line 3') as string },
    ],
  });
});

test('a name without a value stands for the step’s own, and must be set', () => {
  expect(namedValues('A=1\nB\nC', { B: 'two\nlines', C: '', D: 'x' })).toEqual({ B: 'two\nlines', C: '' });
  expect(() => namedValues('A\n\nB\nC', { B: '' })).toThrow(
    expect.objectContaining({
      code: 'action-input',
      details: {
        issues: [
          { path: 'env', message: 'line 1 asks for A, which is not set in this step' },
          { path: 'env', message: 'line 4 asks for C, which is not set in this step' },
        ],
      },
    }),
  );
});
