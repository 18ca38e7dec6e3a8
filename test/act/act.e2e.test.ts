import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeBundle } from '../../action/bundle/make-bundle.ts';
import { Sandbox } from '../../hostd/client/index.ts';
import { useHostd } from '../support/suite.ts';
import { checkout, exampleRepository, trackedFiles, type Repository } from './checked-files.ts';
import { seededCache } from './seeded-cache.ts';
import { tool } from './tools.ts';
import { runWorkflow } from './workflow-run.ts';

/** The example workflows as readers copy them, run by act in a repository that holds only tracked files. */

const suite = useHostd();
let repository: Repository;

beforeAll(async () => {
  await tool('act');
  const files = (await trackedFiles()).filter((file) => !file.startsWith('action/dist/'));
  repository = await exampleRepository({
    files,
    host: suite.host,
    prepare: (folder) => makeBundle(checkout, path.join(folder, 'action/dist')),
  });
}, 1_500_000);

afterAll(async () => {
  await repository[Symbol.asyncDispose]();
});

afterEach(async () => {
  expect(await Sandbox.list({ connection: { host: suite.host } })).toEqual([]);
});

/** Runs one example and gives back what its steps printed. */
async function run(workflow: string, env: Record<string, string> = {}): Promise<string> {
  const { code, log } = await runWorkflow(repository.folder, workflow, {
    env,
    path: [path.join(checkout, 'hostd/bin')],
  });
  expect(code, log).toBe(0);
  return log;
}

test('fresh-build.yml', { timeout: 300_000 }, async () => {
  const log = await run('fresh-build.yml');
  expect(log).toMatch(/project-\w+\.tar\.gz: OK/);
  expect(log).toMatch(/version [0-9a-f]{7}/);
});

test('allowlist.yml', { timeout: 300_000 }, async () => {
  const log = await run('allowlist.yml');
  expect(log).toMatch(/denied: [1-9]/);
  expect(log).toMatch(/"name": "telemetry\.example\.org"/);
  expect(log).toMatch(/"reason": "dns-name"/);
});

test('several-steps.yml', { timeout: 300_000 }, async () => {
  expect(await run('several-steps.yml')).toMatch(/The server answered [1-9]\d{3,} bytes/);
});

test('snapshot-matrix.yml', { timeout: 300_000 }, async () => {
  const log = await run('snapshot-matrix.yml');
  const legs = [...log.matchAll(/\| leg (\d) of what was prepared at (\S+)/g)];
  expect(legs.map(([, leg]) => leg).sort()).toEqual(['1', '2', '3']);
  expect(new Set(legs.map(([, , at]) => at)).size).toBe(1);
  expect(await suite.client.snapshots.list()).toEqual([]);
});

test('local-host.yml', { timeout: 300_000 }, async () => {
  await using cache = await seededCache(path.join(repository.folder, 'action/dist'));
  const log = await run('local-host.yml', cache.environment);
  expect(log).toMatch(/the microVM ran 6\.\S+, the runner runs \S/);
  expect(cache.service.calls).toEqual(['GetCacheEntryDownloadURL']);
  expect(cache.service.entries).toHaveLength(1);
});
