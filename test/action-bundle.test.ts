import { execFile } from 'node:child_process';
import { cp, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareBundles } from '../action/bundle/compare-bundles.ts';
import { checkout, committedBundle } from '../action/bundle/layout.ts';
import { bundledPackages } from '../action/bundle/licences.ts';
import { makeBundle } from '../action/bundle/make-bundle.ts';
import { checkSums } from '../action/bundle/sums.ts';
import { digestFile } from '../hostd/sandbox/snapshot/digest.ts';
import { version } from '../hostd/version.ts';

const run = promisify(execFile);
const elsewhere = await mkdtemp(path.join(tmpdir(), 'offshoot-bundle-'));
const alone = path.join(elsewhere, 'alone');
let metafile: Metafile = { inputs: {}, outputs: {} };

beforeAll(async () => {
  metafile = await makeBundle(checkout, alone);
}, 120_000);

afterAll(() => rm(elsewhere, { recursive: true, force: true }));

describe('the bundle of the action', () => {
  it('that is committed is what its sources make', async () => {
    expect(await compareBundles(committedBundle, alone)).toEqual([]);
  });

  it('has the same bytes made in another folder at another time', async () => {
    const copy = path.join(elsewhere, 'some', 'where', 'else');
    await copyCheckout(copy);
    const made = path.join(copy, 'made');
    await run(process.execPath, ['action/bundle/build.ts', '--into', made], { cwd: copy });
    expect(await compareBundles(alone, made)).toEqual([]);
  }, 120_000);

  it('runs with nothing around it', async () => {
    const offshoot = await run(process.execPath, [path.join(alone, 'offshoot.mjs'), '--version'], { cwd: '/' });
    expect(offshoot.stdout).toBe(`${version}\n`);
    expect(await checkSums(alone)).toEqual([]);
  });

  it('computes digests on a thread of its own', async () => {
    const file = path.join(elsewhere, 'data');
    await writeFile(file, 'some data');
    const worker = new Worker(path.join(alone, 'digest-worker.mjs'), { workerData: { digestPaths: [file] } });
    const answer = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    expect(answer).toEqual([digestFile(file)]);
  });

  it('loads at its start neither the host nor the cache nor an HTTP client for tokens', () => {
    const loaded = modulesLoadedAtStart('action.mjs');
    expect(loaded.some((file) => file === 'action/main.ts')).toBe(true);
    const late =
      /^hostd\/(daemon|api|sandbox|vmm|guest|net|store)\/|^action\/local\/|@actions\/(cache|http-client)|@azure/;
    expect(loaded.filter((file) => late.test(file))).toEqual([]);
  });

  it('names the licences of all it is made of', async () => {
    const { stdout } = await run('grep', ['-A1', '^====', path.join(alone, 'THIRD-PARTY-LICENSES.txt')]);
    for (const folder of bundledPackages(metafile)) {
      expect(stdout).toContain(`\n${folder.replace(/^.*node_modules\//, '')} `);
    }
  });
});

/** What a program has loaded before it has done anything: all that it and its chunks import statically. */
function modulesLoadedAtStart(program: string): string[] {
  const outputs = new Map(Object.entries(metafile.outputs).map(([file, about]) => [path.basename(file), about]));
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path: file, kind } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement') visit(path.basename(file));
    }
  };
  visit(program);
  return [...seen].flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {}));
}

/** The files git would take, as they are now, with the packages of this checkout. */
async function copyCheckout(into: string): Promise<void> {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'action', 'hostd', 'package.json'];
  const { stdout } = await run('git', list, { cwd: checkout, maxBuffer: 64 * 1024 * 1024 });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    const from = path.join(checkout, file);
    if ((await lstat(from).catch(() => undefined)) === undefined) continue; // deleted, not committed yet
    await mkdir(path.dirname(path.join(into, file)), { recursive: true });
    await cp(from, path.join(into, file));
  }
  await symlink(path.join(checkout, 'node_modules'), path.join(into, 'node_modules'));
}
