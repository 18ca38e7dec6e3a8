import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identifyProcess, type ProcessIdentity } from '../../hostd/platform/process-identity.ts';
import { daemonOf, endDaemon, exitCodeOf, launchDaemon, whenReady } from './daemon.ts';
import { makePlan, planFiles, type LocalPlan } from './plan.ts';
import { Root } from './root.ts';
import { abandonedHosts } from './sweep.ts';

const root = new Root();
let temp = '';
let plan: LocalPlan;

beforeEach(async () => {
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-daemon-'));
  plan = makePlan({ tempFolder: temp, image: 'default', owner: undefined, root: path.join(temp, 'hosts') });
  await mkdir(plan.stateFolder, { recursive: true });
});

afterEach(async () => {
  // also when a test failed in the middle
  const daemon = await daemonOf(plan);
  if (daemon !== undefined) await endDaemon(root, daemon);
  await rm(temp, { recursive: true, force: true });
});

/** A program in hostd's place. */
async function standIn(code: string): Promise<string> {
  const folder = path.join(temp, 'dist');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'offshoot.mjs'), code);
  return folder;
}

const pidFile = `import { writeFileSync } from 'node:fs';
  const state = process.argv[process.argv.indexOf('--state') + 1];
  writeFileSync(state + '/hostd.pid', String(process.pid));`;

async function running(): Promise<ProcessIdentity> {
  for (;;) {
    const daemon = await daemonOf(plan);
    if (daemon !== undefined) return daemon;
    await sleep(20);
  }
}

describe('the daemon of a host', () => {
  it('that ends at its start is not waited for, and its last words are told', async () => {
    const dist = await standIn(`console.error('no room for it'); process.exit(125);`);
    const lines: string[] = [];
    await launchDaemon(root, plan, dist);
    await expect(whenReady(plan, (line) => void lines.push(line))).rejects.toMatchObject({
      code: 'local-host-failed',
      message: 'The host of this job ended with exit code 125 when it was started.',
    });
    expect(lines).toEqual(['hostd: no room for it']);
  });

  it('that never answers is waited for within bounds', async () => {
    const dist = await standIn(`${pidFile} setInterval(() => {}, 1000);`);
    await launchDaemon(root, plan, dist);
    const daemon = await running();
    await expect(whenReady(plan, () => undefined, { timeoutMs: 200 })).rejects.toThrow('did not answer within 0.2 s');
    await endDaemon(root, daemon);
    expect(await daemonOf(plan)).toBeUndefined();
  });

  it('runs apart from the step: alone in a session, with its settings, its exit code kept', async () => {
    const dist = await standIn(`${pidFile} console.log(JSON.stringify(process.argv.slice(2)));
      process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000);`);
    await launchDaemon(root, plan, dist);
    const daemon = await running();
    const stat = await readFile(`/proc/${String(daemon.pid)}/stat`, 'utf8');
    const mine = await readFile('/proc/self/stat', 'utf8');
    expect(stat.split(') ')[1]?.split(' ')[3]).not.toBe(mine.split(') ')[1]?.split(' ')[3]);
    while (!(await readFile(planFiles(plan).log, 'utf8')).includes(plan.stateFolder)) await sleep(20);
    expect(JSON.parse(await readFile(planFiles(plan).log, 'utf8'))).toEqual([
      ...['hostd', '--state', plan.stateFolder, '--listen', planFiles(plan).host],
      ...['--config', planFiles(plan).config],
    ]);
    expect(await exitCodeOf(plan)).toBeUndefined();
    expect(await endDaemon(root, daemon)).toBe(true);
    while ((await exitCodeOf(plan)) === undefined) await sleep(20);
    expect(await exitCodeOf(plan)).toBe('7');
  });

  it('is not taken for another process that has got its number', async () => {
    const other = spawn('sleep', ['60']);
    await once(other, 'spawn');
    await writeFile(planFiles(plan).pid, String(other.pid));
    expect(await daemonOf(plan)).toBeUndefined();
    other.kill();
  });
});

describe('an abandoned host', () => {
  it('is one whose runner is gone; without a known runner it is not', async () => {
    const hosts = path.join(temp, 'hosts');
    const add = async (name: string, owner: LocalPlan['owner']) => {
      const made = makePlan({ tempFolder: temp, image: name, owner, root: hosts });
      await mkdir(made.stateFolder, { recursive: true });
      await writeFile(planFiles(made).plan, JSON.stringify(made));
    };
    await add('living', await identifyProcess(process.pid));
    await add('another-time', { pid: process.pid, startTicks: 1 });
    await add('unknown', undefined);
    await mkdir(path.join(hosts, 'half'));
    await writeFile(path.join(hosts, 'half/plan.json'), '{"version":');
    expect((await abandonedHosts(hosts)).map(({ image }) => image)).toEqual(['another-time']);
    expect(await abandonedHosts(path.join(temp, 'nowhere'))).toEqual([]);
  });
});
