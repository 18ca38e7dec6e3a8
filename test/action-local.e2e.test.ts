import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
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
import type { ProcessIdentity } from '../hostd/platform/process-identity.ts';
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

describe('host: local', { timeout: 240_000 }, () => {
  it('starts from files alone with the image of the cache; a later job removes it when its runner and its hostd died', async () => {
    const plan = newPlan();
    const { result, log } = await run('start', plan);
    expect(result, log.join('\n')).toMatchObject({
      host: planFiles(plan).host,
      image: { restored: true, built: false },
    });
    expect(log.join('\n')).toMatch(/^Sandboxes (run under KVM|are emulated)/m);
    const sandbox = await Sandbox.create({ connection: { host: planFiles(plan).host }, timeoutSeconds: 600 });
    expect((await sandbox.exec('uname -s', { check: true })).stdout).toBe('Linux\n');
    await sandbox.disconnect();

    const instance = await instanceOf(plan);
    await killDaemon(plan);
    expect((await processesOf(root, plan.stateFolder)).length).toBeGreaterThan(1); // the sandbox lives on
    await writeFile(planFiles(plan).plan, JSON.stringify({ ...plan, owner: await endedProcess() }));
    const later = { ...newPlan(), image: 'no-such' };
    const failed = await run('start', later);
    expect(failed.log).toContain(`removing the host of an earlier job whose runner is gone: ${plan.stateFolder}`);
    expect(await leftOf(plan, instance)).toEqual([]);
    expect(failed.result).toMatchObject({
      code: 'local-host-failed',
      message: expect.stringContaining('The image no-such can not be made here'),
    });
    const laterInstance = await instanceOf(later);
    await run('stop', later);
    expect(await leftOf(later, laterInstance)).toEqual([]);
  });

  it('is ended with all its traces while it builds an image for a step that was killed, and can be ended again', async () => {
    const plan = newPlan();
    const killed = new AbortController();
    const log: string[] = [];
    await expect(
      run('start', plan, {
        env: { ACTIONS_RESULTS_URL: '', ACTIONS_CACHE_URL: '' },
        signal: killed.signal,
        onLog: (line) => {
          log.push(line);
          if (line.startsWith('image default: ')) killed.abort();
        },
      }),
    ).rejects.toThrow();
    expect(log).toContain('no Actions cache here: the image is built in every job');
    const instance = await instanceOf(plan);
    expect((await run('stop', plan)).result).toEqual({
      found: 'running',
      sandboxes: 0,
      remains: [],
      imageSaved: false,
    });
    expect(await leftOf(plan, instance)).toEqual([]);
    expect((await run('stop', plan)).result).toMatchObject({ found: 'nothing', sandboxes: 0 });
  });

  it('runs nothing as root that is not what was published', async () => {
    const changed = path.join(temp, 'changed');
    await cp(dist, changed, { recursive: true });
    await appendFile(path.join(changed, 'native/launcher'), 'x');
    const plan = newPlan();
    const { result } = await run('start', plan, { folder: changed });
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

interface RunOptions {
  folder?: string;
  env?: Record<string, string>;
  /** Kills it. */
  signal?: AbortSignal;
  onLog?: (line: string) => void;
}

async function run(
  call: 'start' | 'stop',
  plan: LocalPlan,
  { folder = dist, env = {}, signal, onLog = () => undefined }: RunOptions = {},
): Promise<{ result: unknown; log: string[] }> {
  const child = spawn(process.execPath, ['--input-type=module', '-', call, JSON.stringify(plan)], {
    cwd: folder,
    env: { ...process.env, ...environment(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  });
  child.stdin.end(driver.replace('./local-host.mjs', path.join(folder, 'local-host.mjs')));
  const log: string[] = [];
  let result: string | undefined;
  const closed = once(child, 'close');
  closed.catch(() => undefined); // awaited below
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('result ')) result = line.slice('result '.length);
    if (!line.startsWith('log ')) continue;
    log.push(line.slice('log '.length));
    onLog(line.slice('log '.length));
  }
  await closed;
  if (result === undefined) throw new Error(`It ended without a result:\n${log.join('\n')}`);
  return { result: JSON.parse(result), log };
}

async function killDaemon(plan: LocalPlan): Promise<void> {
  const daemon = await daemonOf(plan);
  if (daemon === undefined) throw new Error('hostd does not run');
  process.kill(daemon.pid, 'SIGKILL');
  while ((await daemonOf(plan)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function endedProcess(): Promise<ProcessIdentity> {
  const child = spawn('true');
  await once(child, 'exit');
  return { pid: child.pid ?? 0, startTicks: 1 };
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
