import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';

export const checkout = path.resolve(import.meta.dirname, '../..');
export const exampleFolder = path.join(checkout, 'examples/workflows');

/** What readers of an example put their own name into. */
const published = /\bOWNER\/offshoot@v1\b/g;
const publishedHost = 'unix:/run/offshoot/hostd.sock';

/** The example workflows by name. */
export async function exampleNames(): Promise<string[]> {
  return (await readdir(exampleFolder)).filter((name) => name.endsWith('.yml')).sort();
}

/** Files that git knows in this checkout and that are there. */
export async function trackedFiles(): Promise<string[]> {
  const { stdout } = await runChecked(systemRunner, 'git', ['ls-files', '-z'], { cwd: checkout });
  const { stdout: gone } = await runChecked(systemRunner, 'git', ['ls-files', '-z', '--deleted'], { cwd: checkout });
  const deleted = new Set(gone.split('\0'));
  return stdout.split('\0').filter((file) => file !== '' && !deleted.has(file));
}

export interface Repository {
  folder: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RepositoryOptions {
  /** What else of this checkout is in it; default only action.yml. */
  files?: readonly string[];
  /** What the examples' host is here. */
  host?: string;
  /** Puts more into it before everything is committed. */
  prepare?: (folder: string) => Promise<unknown>;
}

/** A git repository with the examples as its workflows and this checkout's action at its root, which they use. */
export async function exampleRepository(options: RepositoryOptions = {}): Promise<Repository> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-examples-'));
  for (const file of options.files ?? ['action.yml']) {
    await cp(path.join(checkout, file), path.join(folder, file), { verbatimSymlinks: true });
  }
  const workflows = path.join(folder, '.github/workflows');
  await mkdir(workflows, { recursive: true });
  for (const name of await exampleNames()) {
    const text = await readFile(path.join(exampleFolder, name), 'utf8');
    const here = text.replaceAll(published, './').replaceAll(publishedHost, options.host ?? publishedHost);
    await writeFile(path.join(workflows, name), here);
  }
  await options.prepare?.(folder);
  const git = (...args: string[]) => runChecked(systemRunner, 'git', args, { cwd: folder, timeoutMs: 120_000 });
  await git('init', '-q', '-b', 'main');
  await git('add', '-A', '-f');
  await git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '-q', '-m', 'all files');
  await git('repack', '-a', '-d', '-q');
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
