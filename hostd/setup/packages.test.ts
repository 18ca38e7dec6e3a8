import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { installCommand, missingPackages, readHostPackages } from './packages.ts';

it('every package of the list has a probe and a purpose, once', async () => {
  const packages = await readHostPackages();
  expect(new Set(packages.map(({ name }) => name)).size).toBe(packages.length);
  for (const { probe, purpose } of packages) expect([probe.startsWith('/'), purpose.length > 0]).toEqual([true, true]);
});

it('names what is missing with the command that installs it', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-packages-'));
  const list = path.join(directory, 'list');
  await writeFile(list, `# comment\nshell /bin/sh runs\nghost  ${directory}/none  haunts the house\n`);
  const missing = await missingPackages(await readHostPackages(list));
  expect(missing).toEqual([{ name: 'ghost', probe: `${directory}/none`, purpose: 'haunts the house' }]);
  expect(installCommand(missing)).toBe('apt-get install --no-install-recommends ghost');
  expect(installCommand([])).toBeUndefined();
});
