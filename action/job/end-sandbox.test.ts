import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Sandbox } from '../../hostd/client/sandbox.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { Stopwatch } from '../../hostd/platform/stopwatch.ts';
import { Cancellation } from '../cancellation.ts';
import { denial, reportOf } from '../egress/testing/reports.ts';
import { RunnerFiles } from '../file-commands/testing/runner-files.ts';
import { readInputs } from '../inputs.ts';
import { FakeHostd, goneSandbox, ok, problem, runningSandbox, type Answer } from '../testing/fake-hostd.ts';
import { endSandbox, type Outcome } from './end-sandbox.ts';
import type { Job } from './job.ts';

const egress = 'GET /v1/sandboxes/sbx_1/egress';
const stop = 'DELETE /v1/sandboxes/sbx_1';
const snapshot = 'POST /v1/sandboxes/sbx_1/snapshot';
const reportFile = 'offshoot-egress-sbx_1.json';
const denied = reportOf({ denied: [denial({ count: 3 })] });
const succeeded: Outcome = { verdict: { ok: true, exitCode: 0 } };
const failed: Outcome = { verdict: { ok: false, exitCode: 7, title: 'x', message: 'run failed with exit code 7.' } };

let runner: RunnerFiles;
let temp: string;
let written: string;

beforeEach(async () => {
  runner = new RunnerFiles();
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-end-'));
  const state = path.join(temp, 'state');
  await writeFile(state, '');
  for (const [name, value] of Object.entries({ ...runner.env, GITHUB_STATE: state })) vi.stubEnv(name, value);
  written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  runner[Symbol.dispose]();
  await rm(temp, { recursive: true, force: true });
});

/** Ends the sandbox of a step with these inputs on a host that answers with this report. */
async function end(
  inputs: Record<string, string>,
  outcome: Outcome,
  report: Answer,
): Promise<{ passed: boolean; asked: string[] }> {
  await using hostd = await FakeHostd.start((what) => {
    if (what === egress) return report;
    if (what === snapshot) return problem('internal', 400);
    return ok(what === stop ? goneSandbox : runningSandbox);
  });
  const defaults: Record<string, string> = {
    ...{ host: hostd.host, shell: 'bash', 'timeout-minutes': '1', sync: 'false', 'artifacts-dir': 'a' },
    ...{ 'keep-on-failure': '0', 'fail-on-egress-denied': 'false', 'allow-unsafe-fork-code': 'false' },
  };
  const job: Job = {
    inputs: readInputs((name) => inputs[name] ?? defaults[name] ?? ''),
    named: {},
    context: { workspace: temp, tempFolder: temp, trigger: { name: 'push', payload: undefined }, labels: {} },
    state: { sandboxId: 'sbx_1', host: hostd.host, failOnEgressDenied: false, destroyed: false },
    timings: new Stopwatch(),
    cancellation: new Cancellation(),
  };
  const sandbox = await Sandbox.connect('sbx_1', { host: hostd.host });
  try {
    return { passed: await endSandbox(job, hostd.host, sandbox, outcome), asked: hostd.asked };
  } finally {
    await sandbox.disconnect();
  }
}

const outputs = () => Object.fromEntries(runner.pairs('GITHUB_OUTPUT'));
const summary = () => runner.bytes('GITHUB_STEP_SUMMARY').toString();
const gate = { 'fail-on-egress-denied': 'true' };

test('outputs, file and summary have what was denied, and the step’s result is the script’s', async () => {
  const { passed, asked } = await end({}, succeeded, ok(denied));
  expect(passed).toBe(true);
  expect(outputs()).toMatchObject({ 'egress-denied-count': '3', 'egress-report': path.join(temp, reportFile) });
  expect(JSON.parse(await readFile(path.join(temp, reportFile), 'utf8'))).toEqual(denied);
  expect(summary()).toMatch(/\n\nsucceeded\n[^]*#### Egress: enforce, 3 denied/);
  expect(written).toContain('::notice title=Offshoot%3A egress denied::');
  expect(asked.indexOf(egress)).toBeLessThan(asked.indexOf(stop));
});

test('denials fail a step that says so, and its sandbox can be kept', async () => {
  const { passed, asked } = await end({ ...gate, 'keep-on-failure': '30' }, succeeded, ok(denied));
  expect(passed).toBe(false);
  expect(summary()).toContain('\n\nfailed by fail-on-egress-denied: 3 attempts');
  expect(written).toContain('::error title=Offshoot%3A egress denied::3 attempts');
  expect(asked).toContain(snapshot);
  expect(asked).toContain(stop);
});

test('nothing denied passes', async () => {
  expect(await end(gate, succeeded, ok(reportOf()))).toMatchObject({ passed: true });
  expect(outputs()).toMatchObject({ 'egress-denied-count': '0' });
});

test('a script’s own failure stays what the summary says first', async () => {
  await end(gate, failed, ok(denied));
  expect(summary()).toContain('\n\nrun failed with exit code 7.\n');
  expect(written).toContain('::error title=Offshoot%3A egress denied::');
});

test('without a report the outputs are empty, and only a step that denials fail fails', async () => {
  expect(await end({}, succeeded, problem('internal', 400))).toMatchObject({ passed: true });
  expect(written).toContain('no egress report: internal\n');
  expect(await end(gate, succeeded, problem('internal', 400))).toMatchObject({ passed: false });
  expect(Object.keys(outputs()).filter((name) => name.startsWith('egress'))).toEqual([]);
  expect(summary()).toContain('Egress: there is no report. internal');
});

test('a host that is away is not asked', async () => {
  const error = new OffshootError('host-unreachable', { message: 'It is away.' });
  const { asked } = await end({}, { error }, ok(denied));
  expect(asked).not.toContain(egress);
});
