import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { removeSession, writeSession } from '../session.ts';
import { FakeHostd, ok, problem, runningSandbox, type Answer } from '../testing/fake-hostd.ts';
import { beat } from './heartbeat.ts';
import { identifyProcess, type ProcessIdentity } from '../../hostd/platform/process-identity.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-heartbeat-'));
  file = path.join(folder, 'session.json');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const renew = 'POST /v1/sandboxes/sbx_1/renew';

async function start(answer: (what: string) => Answer, leaseSeconds: number): Promise<FakeHostd> {
  const hostd = await FakeHostd.start(answer);
  await writeSession(file, {
    version: 1,
    sandboxId: 'sbx_1',
    host: hostd.host,
    workspace: '/w',
    shell: 'bash',
    env: '',
    named: {},
    timeoutMs: 1000,
    leaseSeconds,
    sync: true,
    syncExclude: [],
    artifacts: [],
    artifactsFolder: 'a',
    keepMinutes: 0,
    failOnEgressDenied: false,
    deniedSeen: 0,
    pathEntries: [],
    envEntries: [],
    timings: {},
  });
  return hostd;
}

async function identityOf(pid = 0): Promise<ProcessIdentity> {
  const identity = await identifyProcess(pid);
  if (identity === undefined) throw new Error('no such process');
  return identity;
}

test('renews until the session ends', async () => {
  await using hostd = await start(() => ok(runningSandbox), 1);
  const beating = beat(file, await identityOf(process.pid));
  await vi.waitFor(
    () => {
      expect(hostd.asked.filter((what) => what === renew).length).toBeGreaterThanOrEqual(2);
    },
    { timeout: 10_000 },
  );
  await removeSession(file);
  await beating;
});

test('a failed renewal is tried again, a sandbox that is gone ends it', async () => {
  let answers = 0;
  await using hostd = await start((what) => {
    if (what !== renew) return ok(runningSandbox);
    answers += 1;
    return answers === 1 ? problem('internal', 500) : problem('sandbox-gone', 410);
  }, 1);
  await beat(file, await identityOf(process.pid));
  expect(hostd.asked.filter((what) => what === renew)).toHaveLength(2);
});

test('a runner that died keeps no sandbox', async () => {
  await using hostd = await start(() => ok(runningSandbox), 600);
  const runner = spawn('sleep', ['600']);
  const beating = beat(file, await identityOf(runner.pid));
  await vi.waitFor(() => {
    expect(hostd.asked).toContain(renew);
  });
  runner.kill('SIGKILL');
  await once(runner, 'exit');
  await beating;
  expect(hostd.asked.filter((what) => what === renew)).toHaveLength(1);
});
