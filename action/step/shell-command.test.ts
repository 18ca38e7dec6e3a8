import { expect, test } from 'vitest';
import { shellCommand } from './shell-command.ts';

test('the names of a workflow start what the runner starts', () => {
  expect(shellCommand('bash').argv('/s.sh')).toEqual(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '/s.sh']);
  expect(shellCommand('sh').argv('/s.sh')).toEqual(['sh', '-e', '/s.sh']);
  expect(shellCommand('python')).toMatchObject({ extension: '.py' });
});

test('a command line of the author keeps its quoted words', () => {
  const line = `perl -e "do '{0}'" 'a b'c  {0}`;
  expect(shellCommand(line).argv('/x y')).toEqual(['perl', '-e', "do '/x y'", 'a bc', '/x y']);
});
