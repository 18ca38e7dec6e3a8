import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkout } from '../action/bundle/layout.ts';
import { makeBundle } from '../action/bundle/make-bundle.ts';
import { daemonOf } from '../action/local/daemon.ts';
import { packImage } from '../action/local/image-archive.ts';
import { openImageCache } from '../action/local/image-cache.ts';
import { imageKey } from '../action/local/image.ts';
import { localRoot, makePlan, planFiles, type LocalPlan } from '../action/local/plan.ts';
import { processesOf } from '../action/local/remains.ts';
import { Root } from '../action/local/root.ts';
import { Sandbox } from '../hostd/client/index.ts';
import { CacheService } from './doubles/actions-cache/cache-service.ts';
import { comparePictures, ofHostd, takeHostPicture, type HostPicture } from './support/host-picture.ts';
import { sharedState } from './support/shared-image.ts';

/** Runs one call of the bundle in a process of its own, as main and post are, and prints its lines and its result. */
const driver = `
import * as local from './local-host.mjs';
const [call, text] = process.argv.slice(2);
const log = (line) => console.log('log ' + line);
try {
  const result = call === 'start' ? await local.startLocalHost(JSON.parse(text), { log }) : await local.stopLocalHost(JSON.parse(text), { log });
  console.log('result ' + JSON.stringify(result));
} catch (error) {
  console.log('result ' + JSON.stringify({ code: error.code, message: error.message }));
}
process.exit();
`;

let temp = '';
let dist = '';
let key = '';
let service: CacheService;
let before: HostPicture;
const root = new Root();
const plans: LocalPlan[] = [];

beforeAll(async () => {
  const state = await sharedState();
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-local-'));
  dist = path.join(temp, 'action');
  await makeBundle(checkout, dist);
  service = await CacheService.start(path.join(temp, 'stored'));
  await mkdir(path.join(temp, 'runner'));
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  // what an earlier job would have saved
  const plan = makePlan({ tempFolder: path.join(temp, 'runner'), image: 'default', owner: undefined });
  key = await imageKey(root, plan, dist);
  await packImage(root, path.join(state, 'images/default'), plan.cacheFolder);
  const cache = await openImageCache(() => undefined);
  expect(await cache?.save(plan.cacheFolder, key)).toBe(true);
  await rm(plan.cacheFolder, { recursive: true });
  before = await takeHostPicture();
}, 300_000);

afterAll(async () => {
  for (const plan of plans) await run('stop', plan);
  vi.unstubAllEnvs();
  await service[Symbol.asyncDispose]();
  await rm(temp, { recursive: true, force: true });
}, 120_000);

describe('host: local', () => {
  let first: LocalPlan;
  let firstInstance = '';
  let second: LocalPlan;

  it('starts from files alone, with the image of the cache, and runs a sandbox', async () => {
    first = newPlan();
    const { result, log } = await run('start', first);
    expect(result, log.join('\n')).toMatchObject({
      host: planFiles(first).host,
      image: { restored: true, built: false },
    });
    expect(log.join('\n')).toMatch(/^Sandboxes (run under KVM|are emulated)/m);
    firstInstance = await instanceOf(first);
    const sandbox = await Sandbox.create({ connection: { host: planFiles(first).host }, timeoutSeconds: 600 });
    const answer = await sandbox.exec('cat /etc/hostname; uname -s', { check: true });
    await sandbox.disconnect();
    expect(answer.stdout).toContain('Linux');
  });

  it('goes with all it had when a later job finds its runner and its hostd gone', async () => {
    await killDaemon(first);
    expect((await processesOf(root, first.stateFolder)).length).toBeGreaterThan(1); // its sandbox lives on
    await writeFile(planFiles(first).plan, JSON.stringify({ ...first, owner: await endedProcess() }));
    second = newPlan();
    const { result, log } = await run('start', second);
    expect(result, log.join('\n')).toMatchObject({ image: { restored: true, built: false } });
    expect(log).toContain(`removing the host of an earlier job whose runner is gone: ${first.stateFolder}`);
    expect(await leftOf(first, firstInstance)).toEqual([]);
  });

  it('ends its sandboxes, itself and all its traces, saves a new image, and can be ended again', async () => {
    const instance = await instanceOf(second);
    const sandbox = await Sandbox.create({ connection: { host: planFiles(second).host }, timeoutSeconds: 600 });
    await sandbox.disconnect();
    await writeFile(planFiles(second).imageKey, `${key}-built`);
    const { result, log } = await run('stop', second);
    expect(result, log.join('\n')).toEqual({ found: 'running', sandboxes: 1, remains: [], imageSaved: true });
    expect(await leftOf(second, instance)).toEqual([]);
    expect(service.entries.map((entry) => [entry.key, entry.finalized])).toEqual([
      [key, true],
      [`${key}-built`, true],
    ]);
    expect((await run('stop', second)).result).toMatchObject({ found: 'nothing', sandboxes: 0 });
  });

  it('runs nothing as root that is not what was published', async () => {
    const changed = path.join(temp, 'changed');
    await cp(dist, changed, { recursive: true });
    await appendFile(path.join(changed, 'native/launcher'), 'x');
    const plan = newPlan();
    const { result } = await run('start', plan, changed);
    expect(result).toMatchObject({ code: 'local-host-failed', message: expect.stringContaining('native/launcher') });
    expect(await stat(plan.stateFolder).catch(() => 'none')).toBe('none');
    expect((await run('stop', plan)).result).toMatchObject({ found: 'nothing' });
  });
});

function newPlan(): LocalPlan {
  const plan = makePlan({ tempFolder: path.join(temp, 'runner'), image: 'default', owner: undefined });
  plans.push(plan);
  return plan;
}

function environment(): Record<string, string> {
  return { ...service.environment, RUNNER_TEMP: path.join(temp, 'runner'), GITHUB_WORKSPACE: temp };
}

async function run(
  call: 'start' | 'stop',
  plan: LocalPlan,
  folder = dist,
): Promise<{ result: unknown; log: string[] }> {
  const args = ['--input-type=module', '-', call, JSON.stringify(plan)];
  const child = promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...process.env, ...environment() } });
  child.child.stdin?.end(driver.replace('./local-host.mjs', path.join(folder, 'local-host.mjs')));
  const lines = (await child).stdout.split('\n');
  const result = lines.find((line) => line.startsWith('result '));
  if (result === undefined) throw new Error(lines.join('\n'));
  return {
    result: JSON.parse(result.slice('result '.length)),
    log: lines.flatMap((line) => (line.startsWith('log ') ? [line.slice('log '.length)] : [])),
  };
}

async function killDaemon(plan: LocalPlan): Promise<void> {
  const daemon = await daemonOf(plan);
  if (daemon === undefined) throw new Error('hostd does not run');
  process.kill(daemon.pid, 'SIGKILL');
  while ((await daemonOf(plan)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function endedProcess(): Promise<{ pid: number; startTicks: string }> {
  const child = spawn('true');
  await once(child, 'exit');
  return { pid: child.pid ?? 0, startTicks: '1' };
}

async function instanceOf(plan: LocalPlan): Promise<string> {
  const { network } = JSON.parse(await readFile(planFiles(plan).config, 'utf8')) as { network: { instance: string } };
  return network.instance;
}

/** The subnets a host holds. */
async function linksTo(stateFolder: string): Promise<string[]> {
  const links = path.join(localRoot, '.subnets');
  const targets = await Promise.all((await readdir(links)).map((name) => readlink(path.join(links, name))));
  return targets.filter((target) => target === stateFolder).map(() => `a subnet of ${stateFolder}`);
}

/** All that is still there of a host. */
async function leftOf(plan: LocalPlan, instance: string): Promise<string[]> {
  const after = comparePictures(before, await takeHostPicture());
  const exists = async (file: string) => ((await stat(file).catch(() => undefined)) === undefined ? [] : [file]);
  return [
    ...ofHostd(after, { instance, folders: [plan.stateFolder] }),
    ...(await processesOf(root, plan.stateFolder)).map((pid) => `process ${pid}`),
    ...(await exists(plan.stateFolder)),
    ...(await exists(plan.workFolder)),
    ...(await linksTo(plan.stateFolder)),
  ];
}
