import { execFile } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const program = path.join(import.meta.dirname, 'print-recipe-digest.ts');

test('a recipe that is not there is named, without a stack', async () => {
  const said = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, 'node-22'], (error, stdout, stderr) => {
      resolve({ code: error?.code, stdout, stderr });
    });
  });
  expect(said).toMatchObject({ code: 1, stdout: '' });
  expect(said.stderr.trim().split('\n').at(-1)).toBe('There is no image recipe named "node-22".');
  expect(said.stderr).not.toContain('    at ');
});
