import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Runner, type RunnerOptions } from './runner.ts';
import { writeAction } from './testing/write-action.ts';

async function runScript(run: string, options: RunnerOptions & { shell?: string; env?: Record<string, string> } = {}) {
  const { shell, env = {}, ...rest } = options;
  await using runner = await Runner.start(rest);
  const job = await runner.run({ steps: [{ id: 'it', run, env, ...(shell !== undefined && { shell }) }] });
  const step = job.step('it');
  return { ...step, log: step.log, printed: step.log.slice(step.log.indexOf('##[endgroup]') + 1), job: job.status };
}

describe('scripts', () => {
  it('stops at the first failure, and in a pipe only with shell: bash', async () => {
    expect((await runScript('false | true\necho after')).printed).toContain('after');
    const strict = await runScript('false | true\necho after', { shell: 'bash' });
    expect(strict).toMatchObject({ outcome: 'failure', exitCode: 1 });
    expect(strict.printed).toEqual(['##[error]Process completed with exit code 1.']);
  });

  it('finds the program of a custom shell on the PATH that an earlier step made', async () => {
    await using runner = await Runner.start();
    const bin = path.join(runner.workspace, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'shout'), '#!/bin/sh\necho "[$1]"; tr a-z A-Z <"$2"\n');
    await chmod(path.join(bin, 'shout'), 0o755);
    const job = await runner.run({
      steps: [
        { id: 'path', run: `echo ${bin} >>"$GITHUB_PATH"` },
        { id: 'loud', run: 'hello', shell: 'shout "a b" {0}' },
        { id: 'none', run: 'hello', shell: 'no-such-shell {0}' },
      ],
    });
    expect(job.step('loud').log.slice(-2)).toEqual(['[a b]', 'HELLO']);
    expect(job.step('none')).toMatchObject({ outcome: 'failure', exitCode: null });
  });

  it('gives its outputs, variables and summary to later steps', async () => {
    await using runner = await Runner.start({ secrets: ['hunter2'] });
    const job = await runner.run({
      env: { LEVEL: 'job', KEPT: 'job' },
      steps: [
        {
          id: 'first',
          run: [
            ...['printf "out=%s\\n" value >>"$GITHUB_OUTPUT"', 'echo "LEVEL=file" >>"$GITHUB_ENV"'],
            ...['echo "NODE_OPTIONS=--bad" >>"$GITHUB_ENV"', 'echo "GITHUB_SHA=forged" >>"$GITHUB_ENV"'],
            ...['echo "## hunter2" >>"$GITHUB_STEP_SUMMARY"', 'echo "here $LEVEL"'],
          ].join('\n'),
        },
        {
          id: 'second',
          env: ({ steps }) => ({ FROM: steps['first']?.outputs['out'] ?? 'nothing' }),
          run: 'echo "$FROM $LEVEL $KEPT ${NODE_OPTIONS:-unset} $GITHUB_SHA"',
        },
      ],
    });
    expect(job.step('first').log).toContain('here job');
    expect(job.step('first').summary).toBe('## ***\n');
    expect(job.step('first').annotations).toMatchObject([{ level: 'error' }]);
    expect(job.step('second').log.at(-1)).toBe('value file job unset 0123456789abcdef0123456789abcdef01234567');
  });

  it('fails a step whose file of commands is wrong, and takes the other files', async () => {
    const step = await runScript('echo broken >>"$GITHUB_ENV"; echo a=1 >>"$GITHUB_OUTPUT"');
    expect(step).toMatchObject({ outcome: 'failure', exitCode: 0, outputs: { a: '1' } });
  });

  it('refuses a summary over 1 MiB without failing', async () => {
    const step = await runScript('head -c 1048577 /dev/zero | tr "\\0" x >>"$GITHUB_STEP_SUMMARY"');
    expect(step).toMatchObject({ outcome: 'success', summary: null, annotations: [{ level: 'error' }] });
    expect((await runScript('head -c 1048576 /dev/zero | tr "\\0" x >>"$GITHUB_STEP_SUMMARY"')).summary).toHaveLength(
      1048577,
    );
  });

  it('has the machine as its parent', async () => {
    const step = await runScript('tr "\\0" "\\n" </proc/$PPID/environ; echo CI=$CI', {
      machineEnv: { PATH: process.env['PATH'] ?? '', MACHINE: 'mine' },
      env: { STEP: 'step' },
    });
    expect(step.printed).toEqual([`PATH=${process.env['PATH'] ?? ''}`, 'MACHINE=mine', 'CI=true']);
  });
});

describe('commands', () => {
  it('are taken from both streams, in both syntaxes', async () => {
    const step = await runScript('echo "::warning file=a::one"; echo "x ##[notice]two" >&2; echo ::debug::hidden');
    expect(step.annotations).toHaveLength(2);
    expect(step.annotations).toContainEqual({ level: 'warning', message: 'one', properties: { file: 'a' } });
    expect(step.annotations).toContainEqual({ level: 'notice', message: 'two', properties: {} });
    expect(step.printed.join()).not.toContain('hidden');
  });

  it('stop until the token comes, by any case', async () => {
    const script = [
      '::stop-commands::Secret-Token',
      '::error::no',
      'x ##[error]no',
      '::SECRET-TOKEN::',
      '::error::yes',
    ];
    const step = await runScript(script.map((line) => `echo '${line}'`).join('\n'));
    expect(step.annotations).toMatchObject([{ message: 'yes' }]);
    expect(step.stoppedCommands).toBe(2);
    expect(step.printed).toContain('::error::no');
    expect(step.printed[0]).toBe('::stop-commands::***');
  });

  it('stop for both streams at once and for one step only', async () => {
    await using runner = await Runner.start();
    const job = await runner.run({
      steps: [
        { id: 'stopped', run: 'echo ::stop-commands::token-of-one; sleep 0.3; echo ::error::no >&2' },
        { id: 'free', run: 'echo ::error::yes' },
      ],
    });
    expect(job.step('stopped').annotations).toEqual([]);
    expect(job.step('free').annotations).toMatchObject([{ message: 'yes' }]);
  });

  it.each(['', 'pause-logging', 'Error', 'stop-commands'])('cannot be stopped with the token "%s"', async (token) => {
    const step = await runScript(`echo '::stop-commands::${token}'; echo ::error::seen`);
    expect(step.outcome).toBe('failure');
    expect(step.annotations.at(-1)).toMatchObject({ message: 'seen' });
  });

  it('mask what is to be hidden, from then on', async () => {
    const step = await runScript(
      "echo hunter2; echo '::add-mask::hunter2%0Asecond'; echo a hunter2 b second; echo aHVudGVyMg==",
    );
    expect(step.printed).toEqual(['hunter2', 'a *** b ***', '***']);
  });

  it('set outputs with a warning, and neither variables nor PATH', async () => {
    const step = await runScript('echo "::set-output name=a::1"; echo "::set-env name=B::2"; echo "::add-path::/x"');
    expect(step).toMatchObject({ outcome: 'failure', outputs: { a: '1' }, env: {}, path: [] });
    expect(step.annotations[0]).toMatchObject({ level: 'warning' });
  });

  it('make at most ten annotations of a level, of at most 4096 characters', async () => {
    const step = await runScript('for i in $(seq 12); do echo "::error::$i"; done; printf "::warning::%05000d\\n" 1');
    expect(step.annotations.filter(({ level }) => level === 'error')).toHaveLength(10);
    expect(step.droppedAnnotations).toBe(2);
    expect(step.annotations.find(({ level }) => level === 'warning')?.message).toHaveLength(4096);
    expect(step.printed).toContain('##[error]12');
  });

  it('add problem matchers, which see lines also while commands are stopped and in later steps', async () => {
    await using runner = await Runner.start();
    const matchers = { problemMatcher: [{ owner: 'mine', pattern: [{ regexp: '^BAD (.*)$', message: 1 }] }] };
    await writeFile(path.join(runner.workspace, 'matchers.json'), JSON.stringify(matchers));
    const bad = 'echo ::stop-commands::token-of-mine; echo BAD one';
    const job = await runner.run({
      steps: [
        { id: 'add', run: `echo ::add-matcher::matchers.json; sleep 0.1; ${bad}` },
        { id: 'later', run: bad },
        { id: 'remove', run: `echo "::remove-matcher owner=mine::"; sleep 0.1; ${bad}` },
      ],
    });
    expect(job.step('add').annotations).toMatchObject([{ level: 'error', message: 'one' }]);
    expect(job.step('later').annotations).toHaveLength(1);
    expect(job.step('later').log.at(-1)).toBe('##[error]BAD one');
    expect(job.step('remove').annotations).toEqual([]);
  });
});

describe('actions', () => {
  it('get their inputs, and their post the state, in reverse order', async () => {
    await using runner = await Runner.start();
    const keep = `fs.appendFileSync(process.env.GITHUB_STATE, 'Who=' + process.env['INPUT_SOME-INPUT'] + '\\n');`;
    const uses = await writeAction(
      runner,
      'act',
      `${keep} console.log(process.env['INPUT_SOME-INPUT'], process.env.INPUT_TWO_WORDS, process.env.INPUT_ODD);`,
      `console.log('bye ' + process.env.STATE_Who, process.env['INPUT_SOME-INPUT']);`,
    );
    const job = await runner.run({
      steps: [
        { id: 'one', uses, with: { 'Some-Input': 'given', odd: 'x' } },
        { id: 'two', uses },
      ],
    });
    expect(job.step('one').log.at(-1)).toBe('given 7 x');
    expect(job.step('one').annotations[0]?.message).toContain("Unexpected input(s) 'odd'");
    expect(job.step('two').log.at(-1)).toBe('fallback 7 undefined');
    expect(job.steps.map(({ id, stage }) => `${id} ${stage}`)).toEqual([
      'one main',
      'two main',
      'two post',
      'one post',
    ]);
    expect(job.post('one').log.slice(-2)).toEqual(['Post job cleanup.', 'bye given given']);
  });

  it('have their post after a failure, and steps their conditions', async () => {
    await using runner = await Runner.start();
    const uses = await writeAction(runner, 'act', 'process.exit(3);', 'console.log("cleaned");');
    const job = await runner.run({
      steps: [
        { id: 'act', uses },
        { id: 'next', run: 'echo next' },
        { id: 'failed', if: 'failure()', run: 'echo failed' },
        { id: 'always', if: 'always()', run: 'echo always' },
        { id: 'cancelled', if: 'cancelled()', run: 'echo cancelled' },
      ],
    });
    expect(job.status).toBe('failure');
    expect(job.step('act')).toMatchObject({ outcome: 'failure', exitCode: 3, annotations: [] });
    expect(job.steps.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(['next', 'cancelled']);
    expect(job.post('act').log).toContain('cleaned');
  });

  it('alone get the variables of the services', async () => {
    await using runner = await Runner.start({ actionsRuntime: { ACTIONS_RUNTIME_TOKEN: 'token' } });
    const uses = await writeAction(runner, 'act', 'console.log(process.env.ACTIONS_RUNTIME_TOKEN);');
    const job = await runner.run({
      steps: [
        { id: 'act', uses },
        { id: 'run', run: 'echo "${ACTIONS_RUNTIME_TOKEN:-none}"' },
      ],
    });
    expect(job.step('act').log.at(-1)).toBe('token');
    expect(job.step('run').log.at(-1)).toBe('none');
  });
});

it('takes a million lines without holding them', { timeout: 60_000 }, async () => {
  const step = await runScript('yes "a line of the log: with [signs] of commands" | head -n 1000000', {
    secrets: ['hunter2', 'other'],
  });
  expect(step.outcome).toBe('success');
  expect(step.log.length).toBeGreaterThan(1_000_000);
});
