import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { systemRunner } from '../../hostd/platform/run.ts';
import { exampleFolder, exampleNames, exampleRepository } from './checked-files.ts';
import { tool } from './tools.ts';

async function lint(folder: string, files: readonly string[], ...options: string[]): Promise<string> {
  const [actionlint, shellcheck] = await Promise.all([tool('actionlint'), tool('shellcheck').catch(() => '')]);
  const args = ['-no-color', `-shellcheck=${shellcheck}`, '-pyflakes=', ...options, ...files];
  const { code, stdout, stderr } = await systemRunner.run(actionlint, args, { cwd: folder });
  return code === 0 ? '' : stdout + stderr;
}

/** action.yml names files of the bundle; what is in them is not the question here. */
async function placeBundle(folder: string): Promise<void> {
  const action = z.object({ runs: z.object({ main: z.string(), post: z.string() }) });
  const { runs } = action.parse(parse(await readFile(path.join(folder, 'action.yml'), 'utf8')));
  for (const file of [runs.main, runs.post]) {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await writeFile(path.join(folder, file), '');
  }
}

test('actionlint finds nothing in the example workflows', { timeout: 1_200_000 }, async () => {
  const names = await exampleNames();
  expect(names.length).toBeGreaterThan(0);
  expect(await lint(exampleFolder, names)).toBe('');
});

test('actionlint finds nothing in how they use action.yml', { timeout: 1_200_000 }, async () => {
  await using repository = await exampleRepository();
  await placeBundle(repository.folder);
  const workflows = (await exampleNames()).map((name) => `.github/workflows/${name}`);
  // a script's own outputs become the step's: action.yml can't declare them
  const scriptOutputs = 'property ".+" is not defined in object type {egress-denied-count: string; ';
  expect(await lint(repository.folder, workflows, `-ignore=${scriptOutputs}`)).toBe('');
});
