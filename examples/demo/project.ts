import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';

export interface Project {
  name: string;
  version: string;
  folder: string;
  testCommand: string;
}

/** A package whose published archive holds its tests, and the one program that runs them: nothing else is fetched. */
const name = 'minimist';
const version = '1.2.8';
const testRunner = 'tape@4.0.0';

/** Fetches the project with this machine's npm, once; half a download from an interrupted run is thrown away. */
export async function fetchProject(folder: string): Promise<Project> {
  const project = { name, version, folder, testCommand: "node_modules/.bin/tape 'test/*.js'" };
  const stamp = `${name}@${version} ${testRunner}`;
  const done = await readFile(path.join(folder, '.fetched'), 'utf8').catch(() => '');
  if (done === stamp) return project;
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const npm = (args: string[], cwd: string): Promise<unknown> =>
    runChecked(systemRunner, 'npm', [...args, '--no-audit', '--no-fund'], { cwd, timeoutMs: 300_000 });
  await npm(['pack', `${name}@${version}`, '--silent'], partial);
  await runChecked(systemRunner, 'tar', ['-xzf', `${name}-${version}.tgz`], { cwd: partial });
  // installed apart: in the project's own folder npm would take it for an omitted development dependency
  const runner = path.join(partial, 'runner');
  await mkdir(runner);
  await npm(['install', '--prefix', runner, '--no-package-lock', '--ignore-scripts', testRunner], runner);
  const unpacked = path.join(partial, 'package');
  await rename(path.join(runner, 'node_modules'), path.join(unpacked, 'node_modules'));
  await writeFile(path.join(unpacked, '.fetched'), stamp);
  await rename(unpacked, folder);
  await rm(partial, { recursive: true, force: true });
  return project;
}
