import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemRunner } from '../../hostd/platform/run.ts';
import { checkout, trackedFiles } from './checked-files.ts';
import { tool } from './tools.ts';

/** Shell by its name or its first line, without the bundle, which repeats files of the sources. */
async function isShell(file: string): Promise<boolean> {
  if (file.startsWith('action/dist/')) return false;
  if (file.endsWith('.sh')) return true;
  if (path.extname(file) !== '') return false;
  const text = await readFile(path.join(checkout, file), 'utf8');
  return /^#!\s*\S*[/ ](ba|da)?sh\b/.test(text);
}

test('shellcheck finds nothing in the shell files', { timeout: 300_000 }, async () => {
  const shellcheck = await tool('shellcheck');
  const files: string[] = [];
  for (const file of await trackedFiles()) if (await isShell(file)) files.push(file);
  expect(files).toEqual(expect.arrayContaining(['.ci/run', 'hostd/bin/offshoot', 'hostd/setup/run.sh']));
  const found = await systemRunner.run(shellcheck, ['-x', '--color=never', ...files], { cwd: checkout });
  expect(found.stdout + found.stderr).toBe('');
  expect(found.code).toBe(0);
});
