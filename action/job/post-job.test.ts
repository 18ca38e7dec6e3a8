import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { denial, reportOf } from '../egress/testing/reports.ts';
import type { JobState } from '../job-state.ts';
import { sessionFile, writeSession } from '../session.ts';
import { FakeHostd, goneSandbox, ok, problem, runningSandbox, type Answer } from '../testing/fake-hostd.ts';
import { postJob } from './post-job.ts';

const egress = 'GET /v1/sandboxes/sbx_1/egress';
const stop = 'DELETE /v1/sandboxes/sbx_1';
let folder: string;
let summary: string;
let written: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-post-'));
  summary = path.join(folder, 'summary');
  await writeFile(summary, '');
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary);
  written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

function hostd(report: Answer): Promise<FakeHostd> {
  return FakeHostd.start((what) => {
    if (what === egress) return report;
    return ok(what === stop ? goneSandbox : runningSandbox);
  });
}

/** What main left of a job with several steps, of which one failed for `deniedSeen` denials. */
async function leftBehind(host: string, failOnEgressDenied: boolean, deniedSeen = 0): Promise<JobState> {
  const file = sessionFile(folder, 'sbx_1');
  await writeSession(file, {
    version: 1,
    sandboxId: 'sbx_1',
    host,
    workspace: folder,
    shell: 'bash',
    env: '',
    named: {},
    timeoutMs: 1000,
    leaseSeconds: 180,
    sync: false,
    syncExclude: [],
    artifacts: [],
    artifactsFolder: path.join(folder, 'artifacts'),
    keepMinutes: 0,
    failOnEgressDenied,
    deniedSeen,
    pathEntries: [],
    envEntries: [],
    timings: {},
  });
  return { sandboxId: 'sbx_1', host, sessionFile: file, failOnEgressDenied, destroyed: false };
}

const threeDenied = ok(reportOf({ denied: [denial({ count: 3 })] }));

test('the summary of several steps has what was denied, asked for while the sandbox lives', async () => {
  await using host = await hostd(threeDenied);
  expect(await postJob(await leftBehind(host.host, false))).toBe(0);
  expect(await readFile(summary, 'utf8')).toContain('#### Egress: enforce, 3 denied');
  expect(written).toContain('::notice title=Offshoot%3A egress denied::3 attempts');
  expect(host.asked.indexOf(egress)).toBeLessThan(host.asked.indexOf(stop));
});

test('what no step has failed for fails the job, when it is to; the sandbox ends all the same', async () => {
  await using host = await hostd(threeDenied);
  expect(await postJob(await leftBehind(host.host, true, 2))).toBe(1);
  expect(written).toContain('::error title=Offshoot%3A egress denied::1 attempt ');
  expect(await readFile(summary, 'utf8')).toContain('failed by fail-on-egress-denied');
  expect(host.asked).toContain(stop);
  expect(await postJob(await leftBehind(host.host, true, 3))).toBe(0);
});

test('a report that can not be had fails only the job that denials fail', async () => {
  await using host = await hostd(problem('internal', 400));
  expect(await postJob(await leftBehind(host.host, false))).toBe(0);
  expect(written).toContain('no egress report: internal');
  expect(await readFile(summary, 'utf8')).toContain('Egress: there is no report. internal');
  expect(await postJob(await leftBehind(host.host, true))).toBe(1);
  expect(host.asked.filter((what) => what === stop)).toHaveLength(2);
});

test('a damaged session hides no denial', async () => {
  await using host = await hostd(threeDenied);
  const state = await leftBehind(host.host, true);
  await writeFile(state.sessionFile ?? '', '{');
  expect(await postJob(state)).toBe(1);
  expect(host.asked).toContain(stop);
});

test('what main has ended is not asked again', async () => {
  await using host = await hostd(threeDenied);
  const state: JobState = { sandboxId: 'sbx_1', host: host.host, failOnEgressDenied: true, destroyed: true };
  expect(await postJob(state)).toBe(0);
  expect(host.asked).toEqual([]);
});
