import path from 'node:path';
import { expect, test } from 'vitest';
import { systemRunner } from '../../hostd/platform/run.ts';
import { checkout, exampleFolder, exampleNames } from './checked-files.ts';
import { tool } from './tools.ts';

test('zizmor finds nothing in the example workflows and action.yml', { timeout: 300_000 }, async () => {
  const zizmor = await tool('zizmor');
  const names = await exampleNames();
  expect(names.length).toBeGreaterThan(0);
  const files = [...names.map((name) => path.join(exampleFolder, name)), path.join(checkout, 'action.yml')];
  const config = path.join(import.meta.dirname, 'zizmor.yml');
  const args = ['--offline', '--no-progress', '--color=never', '--strict-collection', '--config', config, ...files];
  const found = await systemRunner.run(zizmor, args);
  expect(found.stdout).toContain('No findings to report');
  expect(found.code).toBe(0);
});
