import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HostClient, Sandbox } from '../hostd/client/index.ts';
import type { Job, JobResult } from './doubles/runner/job.ts';
import { Runner } from './doubles/runner/runner.ts';
import { annotationsOf, guestLines, useAction } from './support/action-suite.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd({ sandboxes: { maxSandboxes: 4 } });
const action = useAction(suite);
let runner: Runner;

beforeAll(async () => {
  runner = await Runner.start();
});

afterAll(async () => {
  await runner[Symbol.asyncDispose]();
});

beforeEach(async () => {
  expect(await Sandbox.list({ connection: { host: suite.host } })).toEqual([]);
});

/** Runs a job after which nothing of it may be left. */
async function runJob(job: Job, on: Runner = runner): Promise<JobResult> {
  const result = await on.run(job);
  expect(await Sandbox.list({ connection: { host: suite.host } }), 'sandboxes left').toEqual([]);
  expect(result.orphans, 'processes left').toEqual([]);
  return result;
}

const one = (inputs: Record<string, string>, on?: Runner) => runJob({ steps: [action.step(inputs)] }, on);

const printed = (result: JobResult, id = 'box') => guestLines(result.step(id));

describe('one step', () => {
  test('runs the script on the workspace, where it is on the runner', async () => {
    await writeFile(path.join(runner.workspace, 'hello.txt'), 'hello\n');
    const result = await one({ run: 'pwd\ncat hello.txt\ncat /workspace/hello.txt\nid -un\n' });
    expect(result.status).toBe('success');
    expect(printed(result)).toEqual([runner.workspace, 'hello', 'hello', 'root']);
    expect(result.step('box').outputs).toMatchObject({
      'exit-code': '0',
      'sandbox-id': expect.stringMatching(/^sbx_/) as string,
    });
    const timings = JSON.parse(result.step('box').outputs['timings'] ?? '') as Record<string, number>;
    expect(Object.keys(timings)).toEqual(
      ['queued', 'restored', 'synced', 'firstOutput', 'done', 'destroyed'].map((name) => `${name}Ms`),
    );
  });

  test('summary: where the time went and what was used', async () => {
    const result = await one({ run: 'echo "# of the script" >> $GITHUB_STEP_SUMMARY; exit 0' });
    const { summary } = result.step('box');
    expect(summary).toMatch(/^### Offshoot: image default\n\nsucceeded/);
    expect(summary).toContain('\n# of the script\n');
    expect(summary).toMatch(/CPU used: \d/);
  });

  test('a script behaves as the runner’s own bash would', async () => {
    const errexit = await one({ run: 'false\necho never' });
    expect(printed(errexit)).toEqual([]);
    expect(errexit.step('box')).toMatchObject({ outcome: 'failure', exitCode: 1 });
    const pipefail = await one({ run: 'exit 7 | cat\necho never' });
    expect(printed(pipefail)).toEqual([]);
    expect(pipefail.step('box').outputs['exit-code']).toBe('7');
    expect(annotationsOf(pipefail, 'error')).toEqual(['Offshoot: run failed: run failed with exit code 7.']);
  });

  test('shell, working-directory and env', async () => {
    await writeFile(path.join(runner.workspace, 'empty'), '');
    const result = await one({
      run: 'import os; print(os.getcwd(), os.environ["A"], os.environ["B"])',
      shell: 'python',
      'working-directory': '/usr',
      env: 'A=from the input\nB=with = and spaces ',
    });
    expect(printed(result)).toEqual(['/usr from the input with = and spaces ']);
  });

  test('outputs, variables and paths are merged back once, whatever they hold, also when the script fails', async () => {
    const value = 'first\r\n  second = <<x\nüñí ::set-output name=x::y\n';
    const run = `
printf 'multi<<END_1\\n%s\\nEND_1\\n' "$VALUE" >> $GITHUB_OUTPUT
echo 'plain=1' >> $GITHUB_OUTPUT
printf 'VAR<<END_1\\n%s\\nEND_1\\n' "$VALUE" >> $GITHUB_ENV
echo NODE_OPTIONS=--require=/x >> $GITHUB_ENV
echo LD_PRELOAD=/x >> $GITHUB_ENV
echo /opt/added/bin >> $GITHUB_PATH
exit 3`;
    const result = await runJob({
      steps: [
        { ...action.step({ run }), env: { VALUE: value.trimEnd() } },
        {
          id: 'after',
          run: 'printf %s "$VAR" | od -An -c; echo "$PATH" | cut -d: -f1; echo "[$LD_PRELOAD]"',
          if: 'always()',
          shell: 'bash',
        },
      ],
    });
    const step = result.step('box');
    expect(step.outcome).toBe('failure');
    expect(step.outputs).toMatchObject({ multi: value.trimEnd(), plain: '1', 'exit-code': '3' });
    expect(step.env).toEqual({ VAR: value.trimEnd() });
    expect(step.path).toEqual(['/opt/added/bin']);
    expect(annotationsOf(result, 'warning').join()).toMatch(/NODE_OPTIONS.*LD_PRELOAD/s);
    expect(result.step('after').log).toContain('[]');
  });

  test('tokens and the machine’s own variables stay outside unless named', async () => {
    await using own = await Runner.start({
      machineEnv: { PATH: process.env['PATH'] ?? '', HOME: '/root', OF_THE_MACHINE: 'secret' },
      secrets: ['tok-12345678'],
    });
    const env = { GITHUB_TOKEN: 'tok-12345678', OF_THE_JOB: 'yes' };
    const run =
      'echo "[$GITHUB_TOKEN][$OF_THE_MACHINE][$OF_THE_JOB][$GITHUB_REPOSITORY][$CI][$INPUT_RUN][$GITHUB_STATE]"';
    const without = await own.run({ env, steps: [action.step({ run })] });
    expect(printed(without)).toEqual(['[][][yes][octo/project][true][][]']);
    const named = await own.run({
      env,
      steps: [action.step({ run: `${run.slice(0, -1)}" | tr t T`, env: 'GITHUB_TOKEN' })],
    });
    expect(printed(named)[0]).toMatch(/^\[Tok-12345678\]/);
  });

  test('out of time, out of memory and a shell that is not there are told apart', async () => {
    const late = await one({ run: 'sleep 600', 'timeout-minutes': '0.03' });
    expect(annotationsOf(late, 'error')).toEqual([
      'Offshoot: run failed: run ran longer than timeout-minutes (0.03) and was ended.',
    ]);
    const fat = await one({ run: 'tail /dev/zero', memory: '256' });
    expect(annotationsOf(fat, 'error')[0]).toMatch(/ran out of memory .*256 MiB.*input memory/);
    const odd = await one({ run: 'x', shell: 'no-such-shell {0}' });
    expect(odd.step('box').outputs['exit-code']).toBe('127');
  });

  test('a folder that is not there, and scripts that remove what is the runner’s', async () => {
    const nowhere = await one({ run: 'x', 'working-directory': 'no/such' });
    expect(annotationsOf(nowhere, 'error')[0]).toMatch(/^Offshoot: run failed: run could not be started: .*no\/such/);
    const tidy = await one({ run: 'rm -rf "$RUNNER_TEMP"; exit 7' });
    expect(tidy.step('box').outputs['exit-code']).toBe('7');
    const tidier = await one({ run: 'rm "$GITHUB_OUTPUT" "$GITHUB_ENV" "$GITHUB_PATH" "$GITHUB_STEP_SUMMARY"' });
    expect(tidier.status).toBe('success');
  });

  test('globs that lead out are found before anything runs', async () => {
    const result = await one({ run: 'echo never', artifacts: '../secrets' });
    expect(annotationsOf(result, 'error')).toHaveLength(1);
    expect(result.step('box').log.join('\n')).not.toContain('sbx_');
  });

  test('what is wrong before there is a sandbox is an annotation that says what to do', async () => {
    const noImage = await one({ run: 'x', image: 'nothing' });
    expect(noImage.step('box').annotations).toMatchObject([
      {
        level: 'error',
        properties: { title: 'Offshoot: image-not-found' },
        message: expect.stringContaining('offshoot image list') as string,
      },
    ]);
    const noHost = await one({ run: 'x', host: 'unix:/nowhere/hostd.sock' });
    expect(annotationsOf(noHost, 'error')[0]).toMatch(/No hostd answers at unix:\/nowhere\/hostd.sock/);
    const wrong = await one({ run: 'x', cpus: 'many', sync: 'perhaps' });
    expect(annotationsOf(wrong, 'error')[0]).toMatch(
      /^Offshoot: action-input: 2 inputs are not valid:\n- cpus: must be a whole number\n- sync: must be true or false\n/,
    );
  });

  test('fork code with the base repository’s rights is refused', async () => {
    const event = { repository: { id: 1 }, pull_request: { head: { repo: { id: 2 } }, base: { repo: { id: 1 } } } };
    await using target = await Runner.start({ github: { event_name: 'pull_request_target' }, event });
    const refused = await one({ run: 'echo hi' }, target);
    expect(refused.step('box').annotations[0]?.properties).toMatchObject({ title: 'Offshoot: unsafe-fork-code' });
    expect((await one({ run: 'echo hi', 'allow-unsafe-fork-code': 'true' }, target)).status).toBe('success');
  });
});

describe('several steps', () => {
  test('each has its own environment, folder, log and exit code; the sandbox goes with the job', async () => {
    const result = await runJob({
      steps: [
        { ...action.step({ env: 'SHARED=from the input\nGITHUB_TOKEN' }), env: { GITHUB_TOKEN: 'of the first step' } },
        {
          id: 'one',
          run: 'mkdir -p sub; echo X=1 >> $GITHUB_ENV; echo o=2 >> $GITHUB_OUTPUT; echo "$GITHUB_TOKEN, $SHARED"',
          shell: 'offshoot {0}',
        },
        { id: 'two', run: 'echo "$X $Y $SHARED"; false | true', shell: 'offshoot {0}', env: { Y: 'mine' } },
        { id: 'three', run: 'offshoot sandbox list | tail -n 1', shell: 'bash', if: 'always()' },
      ],
    });
    expect(printed(result, 'one')).toEqual(['***, from the input']); // named, so it is there, and masked
    expect(result.step('one').outputs).toEqual({ o: '2' });
    expect(printed(result, 'two')).toEqual(['1 mine from the input']);
    expect(result.step('two')).toMatchObject({ outcome: 'failure', exitCode: 1 });
    expect(result.step('three').log.at(-1)).toContain(result.step('box').outputs['sandbox-id']);
    expect(result.post('box').log.join('\n')).toContain('is destroyed');
    expect(result.post('box').summary).toMatch(/### Offshoot: image default/);
  });

  test('a step where no sandbox was made says which step is missing', async () => {
    const result = await runJob({
      steps: [action.step({ run: 'true' }), { id: 'two', run: 'offshoot --version', shell: 'bash' }],
    });
    expect(result.step('two').outcome).toBe('failure'); // the command is there only after a step without run
  });

  test('two scripts at once in one step take turns: none opens the log for the other’s commands', async () => {
    const result = await runJob({
      steps: [
        action.step({}),
        { id: 'first', run: 'echo one', shell: 'offshoot {0}' },
        {
          id: 'both',
          run: `
echo 'sleep 1; echo "::error::forged"; echo A=1 >> $GITHUB_ENV' > a.sh
echo 'echo "::error::forged"; echo B=2 >> $GITHUB_ENV' > b.sh
offshoot "$PWD/a.sh" & offshoot "$PWD/b.sh" & wait`,
          shell: 'bash',
        },
        { id: 'after', run: 'echo "$A$B"', shell: 'offshoot {0}' },
      ],
    });
    expect(result.step('both').annotations).toEqual([]);
    expect(printed(result, 'after')).toEqual(['12']);
  });

  test('what the runner changed meanwhile is sent when asked for', async () => {
    const result = await runJob({
      steps: [
        action.step({}),
        { run: 'echo changed > late.txt', shell: 'bash' },
        { id: 'without', run: 'ls late.txt || echo absent', shell: 'offshoot {0}' },
        { id: 'with', run: 'cat late.txt', shell: 'offshoot --sync {0}' },
      ],
    });
    expect(printed(result, 'without')).toContain('absent');
    expect(printed(result, 'with')).toEqual(['changed']);
  });
});

describe('snapshots', () => {
  test('prepared once, forked per leg', async () => {
    const prepare = 'echo installed > mark; sleep 1000 & echo P=2 >> $GITHUB_ENV';
    await one({ prepare: 'true', 'save-snapshot': 'action-deps' });
    const prepared = await one({ prepare, 'save-snapshot': 'action-deps' }); // in the place of the first
    expect(prepared.status).toBe('success');
    expect(prepared.step('box').outputs['snapshot-id']).toBe('action-deps');
    const legs = await Promise.all(
      [1, 2].map(async (leg) => {
        await using own = await Runner.start();
        const run = `cat mark; pgrep -x sleep | wc -l; echo leg ${String(leg)}`; // its workspace has another path
        return printed(await own.run({ steps: [action.step({ snapshot: 'action-deps', run })] }));
      }),
    );
    expect(legs).toEqual([1, 2].map((leg) => ['installed', '1', `leg ${String(leg)}`]));
    await suite.client.snapshots.remove('action-deps');
  });

  test('a failed sandbox is kept as it was, and one command opens a shell in a copy of it', async () => {
    const result = await one({ run: 'echo evidence > /opt/e; sleep 1000 & exit 5', 'keep-on-failure': '10' });
    const name = result.step('box').outputs['snapshot-id'] ?? '';
    expect(result.step('box').summary).toContain(`offshoot sandbox shell --host ${suite.host} --snapshot ${name}`);
    await using client = new HostClient({ host: suite.host });
    const kept = await client.snapshots.get(name);
    const minutes = (Date.parse(kept.expiresAt ?? '') - Date.parse(kept.createdAt)) / 60_000;
    expect(Math.round(minutes)).toBe(10);
    const copy = await suite.create({ snapshot: name });
    expect((await copy.exec('cat /opt/e; pgrep -x sleep | wc -l')).stdout).toBe('evidence\n1\n');
    await copy.stop();
    await client.snapshots.remove(name);
  });
});

test('artifacts come back, and what matches nothing is said', async () => {
  const result = await one({
    run: 'mkdir -p out; echo a > out/a.txt; echo b > b.xml',
    artifacts: 'out/**\n*.xml\nnothing/*',
  });
  const at = (name: string) => readFile(path.join(runner.workspace, 'offshoot-artifacts', name), 'utf8');
  expect([await at('out/a.txt'), await at('b.xml')]).toEqual(['a\n', 'b\n']);
  expect(annotationsOf(result, 'warning')).toEqual(['Offshoot: No file matches the artifacts glob nothing/*.']);
});
