import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemRunner } from '../../../platform/run.ts';
import { runContained } from './contain.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'offshoot-contain-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Processes that work in the test's folder. */
async function processesThere(): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return folders.filter((folder) => folder === directory).length;
}

it('a program dies with the one that started it, its background children and mounts too', async () => {
  const script = path.join(directory, 'build.ts');
  await writeFile(
    script,
    `import { systemRunner } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../../platform/run.ts'))};
     import { runContained } from ${JSON.stringify(path.join(import.meta.dirname, 'contain.ts'))};
     await runContained(systemRunner, '/bin/sh', ['-c', 'mkdir m; mount -t tmpfs t m; (setsid sleep 300 &) ; sleep 300'], { cwd: process.argv[2] });`,
  );
  const builder = spawn(process.execPath, [script, directory], { stdio: 'ignore' });
  await expect.poll(processesThere, { timeout: 15_000, interval: 50 }).toBeGreaterThanOrEqual(3);
  expect(await readFile('/proc/mounts', 'utf8')).not.toContain(directory);
  builder.kill('SIGKILL');
  await expect.poll(processesThere, { timeout: 5000, interval: 50 }).toBe(0);
});

it('what it ends with is passed on, and the umask is the usual one', async () => {
  const { stdout } = await runContained(systemRunner, '/bin/sh', ['-c', 'umask; echo "$1"', 'x', 'a b']);
  expect(stdout).toBe('0022\na b\n');
  await expect(runContained(systemRunner, '/bin/sh', ['-c', 'echo why >&2; exit 3'])).rejects.toThrow(/exit code 3: why/);
});
