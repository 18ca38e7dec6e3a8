import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useHostd } from './support/suite.ts';

const suite = useHostd();
const root = path.resolve(import.meta.dirname, '..');

test('the tour of the README does what it says', { timeout: 300_000 }, async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const tour = /```sh tour\n([\s\S]*?)```/.exec(readme)?.[1];
  expect(tour).toBeDefined();
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-tour-'));
  try {
    const script = (tour ?? '').replace('PATH=$PWD/hostd/bin:$PATH', `PATH=${root}/hostd/bin:$PATH`);
    const result = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, OFFSHOOT_HOST: suite.host },
    });
    expect(result.stderr).not.toContain('offshoot: ');
    expect(result.status).toBe(0);
    for (const shown of ['Linux', '45', 'git version', 'line 3', 'hello', 'purpose=tour', 'sandbox.gone']) {
      expect(result.stdout).toContain(shown);
    }
    expect(result.stderr).toContain('first output');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('every link of the README leads somewhere', async () => {
  for (const page of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const text = await readFile(path.join(root, page), 'utf8');
    for (const [, target] of text.matchAll(/\]\(([^)#:]+)\)/g)) {
      await expect(
        readFile(path.join(root, target ?? '')).catch((error: NodeJS.ErrnoException) => error.code),
      ).resolves.not.toBe('ENOENT');
    }
  }
});
