import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { lazyOidc } from './lazy-oidc.ts';

it('identity tokens are asked for with the code of @actions/core, loaded then', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-oidc-'));
  const contents = `import { getIDToken } from '@actions/core';
    await getIDToken('aud').catch((error) => console.log(error.message));`;
  const { metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    banner: { js: "import { createRequire as c } from 'node:module'; const require = c(import.meta.url);" },
    plugins: [lazyOidc],
  });
  const entry = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === '<stdin>');
  expect(Object.keys(entry?.inputs ?? {}).filter((file) => file.includes('http-client'))).toEqual([]);
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(folder, 'stdin.mjs')], {
    env: { PATH: process.env['PATH'] },
  });
  expect(stdout).toContain('ACTIONS_ID_TOKEN_REQUEST_URL');
  await rm(folder, { recursive: true, force: true });
});
