import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { bundledPackages, renderLicences } from './licences.ts';

/** What esbuild says of a bundle with these files, by the bytes they have in it. */
function metafileOf(bytes: Record<string, number>): Metafile {
  const inputs = Object.fromEntries(Object.entries(bytes).map(([file, bytesInOutput]) => [file, { bytesInOutput }]));
  return { inputs: {}, outputs: { 'a.mjs': { bytes: 1, inputs, imports: [], exports: [] } } };
}

it('packages count when code of theirs is in, also those inside others', () => {
  const found = bundledPackages(
    metafileOf({
      'action/main.ts': 5,
      'node_modules/zod/index.js': 5,
      'node_modules/zod/more.js': 5,
      'node_modules/@actions/core/lib/core.js': 5,
      'node_modules/@actions/http-client/node_modules/undici/index.js': 5,
      'lazy-oidc:node_modules/@actions/core/lib/oidc-utils.js': 5,
      'node_modules/shaken-off/index.js': 0,
    }),
  );
  expect(found).toEqual([
    'node_modules/@actions/core',
    'node_modules/@actions/http-client/node_modules/undici',
    'node_modules/zod',
  ]);
});

it('texts are in the file; a package without any licence is an error', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'offshoot-licences-'));
  const add = async (name: string, about: object, files: Record<string, string> = {}) => {
    await mkdir(path.join(root, name), { recursive: true });
    await writeFile(path.join(root, name, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...about }));
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(root, name, file), text);
  };
  await add('b', { license: 'MIT' }, { LICENSE: 'Permission is granted.\r\n', NOTICE: 'By B.' });
  await add('a', { license: 'ISC' });
  await add('c', {});
  const text = await renderLicences(root, ['b', 'a']);
  expect(text).toMatch(/a 1\.2\.3 \(ISC\)[\s\S]*b 1\.2\.3 \(MIT\)\n\nPermission is granted\.\n\nBy B\.\n/);
  await expect(renderLicences(root, ['c'])).rejects.toThrow('c has no licence');
  await rm(root, { recursive: true, force: true });
});
