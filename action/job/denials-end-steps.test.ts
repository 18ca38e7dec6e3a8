import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Served } from '../../hostd/api/testing/served.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { RunnerFiles } from '../file-commands/testing/runner-files.ts';
import { readSession, sessionFile, sessionVariable, writeSession } from '../session.ts';
import { runStep } from '../shell/run-step.ts';
import { mainJob } from './main-job.ts';

/** Whole steps on a host without machines, on which each script ends at once, and every sandbox was denied other.example.com twice. */

let served: Served;
let runner: RunnerFiles;
let temp: string;
/** What scripts end with. */
let exitCode: number;

beforeEach(async () => {
  exitCode = 0;
  served = await Served.start();
  const { host } = served;
  const start = host.execs.start;
  host.execs.start = async (sandboxId, request) => {
    const started = await start(sandboxId, request);
    host.endExec(started.exec.id, exitCode);
    return started;
  };
  host.files.archive = () => Promise.reject(new OffshootError('guest-file-not-found'));
  runner = new RunnerFiles();
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-steps-'));
  const state = path.join(temp, 'state');
  await writeFile(state, '');
  const workspace = path.join(temp, 'workspace');
  const inputs = { HOST: `unix:${served.socketPath}`, SHELL: 'sh', SYNC: 'false', 'TIMEOUT-MINUTES': '1' };
  const switches = { 'KEEP-ON-FAILURE': '0', 'ALLOW-UNSAFE-FORK-CODE': 'false', 'ARTIFACTS-DIR': 'a' };
  for (const [name, value] of Object.entries({ ...inputs, ...switches })) vi.stubEnv(`INPUT_${name}`, value);
  vi.stubEnv('INPUT_FAIL-ON-EGRESS-DENIED', 'true');
  const variables = { ...runner.env, GITHUB_STATE: state, GITHUB_WORKSPACE: workspace, RUNNER_TEMP: temp };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  vi.stubEnv('GITHUB_EVENT_NAME', 'push');
  vi.stubEnv('GITHUB_EVENT_PATH', '');
  vi.spyOn(process.stdout, 'write').mockImplementation((_text, ...rest: unknown[]) => {
    const taken = rest.at(-1);
    if (typeof taken === 'function') (taken as () => void)();
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  runner[Symbol.dispose]();
  await served[Symbol.asyncDispose]();
  await rm(temp, { recursive: true, force: true });
});

const outputs = () => Object.fromEntries(runner.pairs('GITHUB_OUTPUT'));
const states = () => [...served.host.machines.values()].map(({ state }) => state);

test('a script that succeeded in vain: the step fails, and its exit code is told as it was', async () => {
  vi.stubEnv('INPUT_RUN', 'make');
  vi.stubEnv('INPUT_EGRESS', 'packages.example.com');
  expect(await mainJob()).toBe(1);
  const [id] = served.host.machines.keys();
  expect(outputs()).toMatchObject({ 'sandbox-id': id, 'exit-code': '0', 'egress-denied-count': '2' });
  const report: unknown = JSON.parse(await readFile(outputs()['egress-report'] ?? '', 'utf8'));
  expect(report).toMatchObject({ policy: { mode: 'enforce', allow: ['packages.example.com'] }, deniedCount: 2 });
  expect(states()).toEqual(['gone']);
});

test('without fail-on-egress-denied the same step succeeds', async () => {
  vi.stubEnv('INPUT_RUN', 'make');
  vi.stubEnv('INPUT_EGRESS', 'packages.example.com');
  vi.stubEnv('INPUT_FAIL-ON-EGRESS-DENIED', 'false');
  expect(await mainJob()).toBe(0);
  expect(outputs()).toMatchObject({ 'exit-code': '0', 'egress-denied-count': '2' });
});

test('a script that failed by itself keeps its code', async () => {
  exitCode = 7;
  vi.stubEnv('INPUT_RUN', 'make');
  expect(await mainJob()).toBe(1);
  expect(outputs()).toMatchObject({ 'exit-code': '7', 'egress-denied-count': '2' });
});

test('what prepare was denied leaves no sandbox to later steps', async () => {
  vi.stubEnv('INPUT_PREPARE', 'npm ci');
  expect(await mainJob()).toBe(1);
  expect(states()).toEqual(['gone']);
  expect(runner.bytes('GITHUB_ENV').toString()).not.toContain(sessionVariable);
});

async function session(): Promise<string> {
  const { sandbox } = await served.host.sandboxes.create({
    ...{ id: 'sbx_1', bootDisk: false, timeoutSeconds: 180, labels: {}, env: {}, waitSeconds: 0 },
    egress: { mode: 'enforce', allow: [] },
  });
  const file = sessionFile(temp, sandbox.id);
  await writeSession(file, {
    ...{ version: 1, sandboxId: sandbox.id, host: `unix:${served.socketPath}`, workspace: temp, shell: 'sh', env: '' },
    ...{ named: {}, timeoutMs: 10_000, leaseSeconds: 180, sync: false, syncExclude: [], artifacts: [] },
    ...{ artifactsFolder: path.join(temp, 'a'), keepMinutes: 2, failOnEgressDenied: true, deniedSeen: 0 },
    ...{ pathEntries: [], envEntries: [], timings: {} },
  });
  vi.stubEnv(sessionVariable, sandbox.id);
  return file;
}

test('of several steps the one that was denied something fails, and not those after it', async () => {
  const file = await session();
  const script = path.join(temp, 'script.sh');
  await writeFile(script, 'make');
  expect(await runStep(script, { sync: false })).toBe(1);
  expect(await readSession(file)).toMatchObject({
    deniedSeen: 2,
    failure: expect.stringContaining('fail-on-egress-denied') as string,
    kept: { minutes: 2 },
  });
  expect(await runStep(script, { sync: false })).toBe(0);
});

test('a script’s own failure is what the step ends with', async () => {
  exitCode = 7;
  const file = await session();
  const script = path.join(temp, 'script.sh');
  await writeFile(script, 'make');
  expect(await runStep(script, { sync: false })).toBe(7);
  expect((await readSession(file)).failure).toBe('the script failed with exit code 7.');
});

test('a sandbox that was refused has no id among the outputs', async () => {
  served.host.sandboxes.create = () => Promise.reject(new OffshootError('egress-rules-invalid'));
  vi.stubEnv('INPUT_RUN', 'make');
  expect(await mainJob()).toBe(1);
  expect(outputs()).not.toHaveProperty('sandbox-id');
});
