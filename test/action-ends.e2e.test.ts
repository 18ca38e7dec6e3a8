import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Sandbox, type SandboxInfo } from '../hostd/client/index.ts';
import type { Job, JobResult } from './doubles/runner/job.ts';
import { Runner, RunnerDied, type JobHooks } from './doubles/runner/runner.ts';
import { annotationsOf, guestLines, useAction } from './support/action-suite.ts';
import { HostdProcess } from './support/hostd-process.ts';
import { isolatedState } from './support/shared-image.ts';
import { sandboxFiles, useHostd } from './support/suite.ts';

/** How jobs end that do not end by themselves: whatever happens, nothing of their sandboxes is left. */

const suite = useHostd({ sandboxes: { maxSandboxes: 4 } });
const action = useAction(suite);
/** Another host, without templates: its first sandbox is a cold boot. */
let second: HostdProcess;
let secondState: string;
const resources = new AsyncDisposableStack();
/** The sandbox of a runner that died; whoever would renew its lease has time to while the other tests run. */
let abandoned: SandboxInfo | undefined;
/** A job whose host went away; it waits for it while the other tests run. */
let forsaken: Promise<JobResult> | undefined;

beforeAll(async () => {
  secondState = resources.use(await isolatedState()).directory;
  const network = { instance: 'ends', subnet: '10.85.0.0/16' };
  second = resources.use(await HostdProcess.start({ stateDirectory: secondState, config: { network } }));
}, 300_000);

afterAll(() => resources.disposeAsync());

const listed = async (host = suite.host): Promise<SandboxInfo[]> => {
  const all = await Sandbox.list({ connection: { host } });
  return all.filter(({ id }) => id !== abandoned?.id);
};

afterEach(async () => {
  expect(await listed()).toEqual([]);
});

/** On a slow machine the tests in between take longer than a lease. */
const isEndOfLease = ({ info }: Sandbox): boolean => info.end?.reason === 'lease-expired';

async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  const deadlineMs = performance.now() + 60_000;
  while (!(await what())) {
    if (performance.now() > deadlineMs) throw new Error('it did not happen');
    await sleep(20);
  }
}

/** Runs a job on a runner of its own. */
async function run(job: Job, hooks: (runner: Runner) => JobHooks = () => ({})): Promise<JobResult> {
  await using runner = await Runner.start();
  const result = await runner.run(job, hooks(runner));
  // the log is read while the runner's folder is there
  for (const step of result.steps) void step.log;
  return result;
}

/** Cancels the job when the guest prints `up`. */
const cancelWhenUp = (runner: Runner): JobHooks => ({
  onLine: (_step, line) => {
    if (line === 'up') runner.cancel();
  },
});

function expectCancelled(result: JobResult): void {
  expect(result.status).toBe('cancelled');
  // it was done before the runner's patience ended
  expect(result.step('box').signals.map(({ signal }) => signal)).toEqual(['SIGINT']);
  expect(result.orphans).toEqual([]);
  // the step itself destroyed it: post had nothing left to do
  expect(result.post('box').log.join('\n')).toMatch(/was (gone already|not made)/);
}

test('cancelled while its machine boots', { timeout: 180_000 }, async () => {
  const result = await run({ steps: [action.step({ host: second.host, run: 'echo never' })] }, (runner) => ({
    onStarted: (step) => {
      if (step.stage === 'main')
        void until(async () => (await listed(second.host)).length === 1).then(() => {
          runner.cancel();
        });
    },
  }));
  expectCancelled(result);
  expect(guestLines(result.step('box'))).not.toContain('never');
  expect(await listed(second.host)).toEqual([]);
  expect(await sandboxFiles(secondState)).toEqual([]);
});

test('the host goes while the script runs', { timeout: 120_000 }, async () => {
  let gone: Promise<void> | undefined;
  forsaken = run({ steps: [action.step({ host: second.host, run: 'echo up; sleep 1000' })] }, () => ({
    onLine: (_step, line) => {
      if (line === 'up') gone = second.kill();
    },
  }));
  forsaken.catch(() => undefined);
  await until(() => gone !== undefined);
  await gone;
});

test('the runner and the step are killed: the lease is what is left', async () => {
  await using runner = await Runner.start();
  let pid = 0;
  const job = runner.run(
    { steps: [action.step({ run: 'echo up; sleep 1000' })] },
    {
      onStarted: (_step, started) => {
        pid = started;
      },
      onLine: (_step, line) => {
        if (line === 'up') void runner.killMinus9().then(() => process.kill(pid, 'SIGKILL'));
      },
    },
  );
  await expect(job).rejects.toThrow(RunnerDied);
  [abandoned] = await listed();
  expect(abandoned?.state).toBe('running');
});

describe('cancelled', () => {
  test('while it waits for room', async () => {
    const others = await Promise.all(Array.from({ length: 3 }, () => suite.create({ memoryMiB: 256 })));
    const result = await run({ steps: [action.step({ run: 'echo never' })] }, (runner) => ({
      onStarted: (step) => {
        if (step.stage === 'main')
          void until(async () => (await listed()).length === 4).then(() => {
            runner.cancel();
          });
      },
    }));
    expectCancelled(result);
    expect(await listed()).toHaveLength(3);
    for (const other of others) await other.stop();
  });

  test('while its script runs, which hears of it no more', async () => {
    const result = await run(
      { steps: [action.step({ run: "trap '' INT TERM; echo up; sleep 1000" }), { id: 'after', run: 'true' }] },
      cancelWhenUp,
    );
    expectCancelled(result);
    expect(result.step('after').outcome).toBe('skipped');
    expect(result.post('box').outcome).toBe('success');
  });

  test('while its artifacts come back: none of them is there in part', async () => {
    await using runner = await Runner.start();
    const job = runner.run(
      { steps: [action.step({ run: 'head -c 600M /dev/zero >big', artifacts: 'big', 'artifacts-dir': 'out' })] },
      {
        onLine: (_step, line) => {
          // the script's log is closed: next come its file commands, then the artifacts
          if (/^::(?!stop-commands)[^:]+::$/.test(line))
            void sleep(300).then(() => {
              runner.cancel();
            });
        },
      },
    );
    expectCancelled(await job);
    await expect(readFile(path.join(runner.workspace, 'out/big'))).rejects.toThrow('ENOENT');
  });

  test('in a later step of the sandbox: post destroys it', async () => {
    const result = await run(
      { steps: [action.step({}), { id: 'later', run: 'echo up; sleep 1000', shell: 'offshoot {0}' }] },
      cancelWhenUp,
    );
    expect(result.step('later')).toMatchObject({ outcome: 'cancelled', signals: [{ signal: 'SIGINT' }] });
    expect(result.post('box').log.join('\n')).toContain('is destroyed');
    expect(result.orphans).toEqual([]);
  });

  test('because the step has a time limit in the workflow', async () => {
    const step = { ...action.step({ run: 'echo up; sleep 1000' }), timeoutMinutes: 0.15 };
    const result = await run({ steps: [step] });
    expect(result.step('box').outcome).toBe('failure');
    expect(result.step('box').signals.map(({ signal }) => signal)).toEqual(['SIGINT']);
  });
});

test('the runner alone is killed: the step ends its sandbox when the script ends', async () => {
  await using runner = await Runner.start();
  const job = runner.run(
    { steps: [action.step({ run: 'echo up; sleep 2; seq 1 20000' })] },
    {
      onLine: (_step, line) => {
        if (line === 'up') void runner.killMinus9();
      },
    },
  );
  await expect(job).rejects.toThrow(RunnerDied);
  await until(async () => (await listed()).length === 0);
});

describe('the host', () => {
  test(
    'is killed and started again in the middle of the log: nothing is lost or doubled',
    { timeout: 120_000 },
    async () => {
      let killed: Promise<void> | undefined;
      const script = 'for i in $(seq 1 150); do echo "line $i"; echo "err $i" >&2; sleep 0.01; done';
      const result = await run({ steps: [action.step({ run: script })] }, () => ({
        onLine: (_step, line) => {
          if (line === 'line 50') killed ??= suite.hostd.kill().then(() => suite.hostd.start());
        },
      }));
      await killed;
      expect(result.status).toBe('success');
      const lines = guestLines(result.step('box'));
      const numbers = Array.from({ length: 150 }, (_, index) => String(index + 1));
      expect(lines.filter((line) => line.startsWith('line '))).toEqual(numbers.map((number) => `line ${number}`));
      expect(lines.filter((line) => line.startsWith('err '))).toEqual(numbers.map((number) => `err ${number}`));
    },
  );
});

test('two jobs with the same ids at once have nothing in common', async () => {
  const results = await Promise.all(
    ['one', 'two'].map((word) =>
      run({ steps: [action.step({ run: `echo ${word} >>/tmp/common; sleep 1; cat /tmp/common` })] }),
    ),
  );
  expect(results.map((result) => guestLines(result.step('box')))).toEqual([['one'], ['two']]);
  const ids = results.map((result) => result.step('box').outputs['sandbox-id']);
  expect(new Set(ids).size).toBe(2);
});

test('the host that went stays away, for post too: both say so, and the job ends', { timeout: 240_000 }, async () => {
  const result = await forsaken;
  if (result === undefined) throw new Error('there is no such job');
  await second.start();
  expect(result.status).toBe('failure');
  expect(annotationsOf(result, 'error').join()).toContain('host-unreachable');
  expect(annotationsOf(result, 'warning', 'post').join()).toMatch(/could not be destroyed.*lease/s);
  expect(result.post('box').outcome).toBe('success');
  const left = await Sandbox.connect(result.step('box').outputs['sandbox-id'] ?? '', { host: second.host });
  expect(left.info.state === 'running' || isEndOfLease(left)).toBe(true);
  await left.stop();
  await left.disconnect();
});

test('nobody renewed the lease of the runner that died, and its end is the end of the sandbox', async () => {
  const sandbox = await Sandbox.connect(abandoned?.id ?? '', { host: suite.host });
  // a live runner renews it every 45 s
  await until(() => Date.parse(abandoned?.expiresAt ?? '') - Date.now() < (180 - 60) * 1000);
  await sandbox.refresh();
  const renewedMs = Date.parse(sandbox.info.expiresAt) - Date.parse(abandoned?.expiresAt ?? '');
  expect(Math.abs(renewedMs)).toBeLessThan(1000);
  if (!isEndOfLease(sandbox)) await sandbox.renew(1, { shorten: true });
  await sandbox.disconnect();
  await until(async () => (await Sandbox.list({ connection: { host: suite.host } })).length === 0);
});
