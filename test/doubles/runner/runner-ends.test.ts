import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Runner, RunnerDied } from './runner.ts';
import { writeAction } from './testing/write-action.ts';

describe.concurrent('ends', () => {
  const stubborn = `process.on('SIGINT', () => console.log('int')); process.on('SIGTERM', () => console.log('term')); setInterval(() => {}, 1000); console.log('up');`;

  it('cancels with SIGINT, SIGTERM and SIGKILL, then runs what always runs', { timeout: 30_000 }, async () => {
    await using runner = await Runner.start();
    const uses = await writeAction(runner, 'act', stubborn, 'console.log("cleaned");');
    const job = await runner.run(
      {
        steps: [
          { id: 'act', uses },
          { id: 'next', run: 'true' },
          { id: 'always', if: 'always()', run: 'echo always' },
        ],
      },
      {
        onLine: (step, line) => {
          if (step.id === 'act' && line === 'up') runner.cancel();
        },
      },
    );
    const act = job.step('act');
    expect(act).toMatchObject({ outcome: 'cancelled', exitCode: 137 });
    const [int, term, kill] = act.signals.map(({ atMs }) => atMs);
    expect(act.signals.map(({ signal }) => signal)).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    expect((term ?? 0) - (int ?? 0)).toBeGreaterThan(7400);
    expect((kill ?? 0) - (term ?? 0)).toBeGreaterThan(2400);
    expect(job).toMatchObject({ status: 'cancelled' });
    expect(job.step('next').outcome).toBe('skipped');
    expect(job.step('always').outcome).toBe('success');
    expect(job.post('act').log).toContain('cleaned');
  });

  it('sends SIGINT to the first process alone, and nothing more when it ends', async () => {
    await using runner = await Runner.start();
    const job = await runner.run(
      {
        steps: [
          {
            id: 'it',
            run: `trap 'echo got it; exit 0' INT\n(trap 'echo child' INT; sleep 1; echo child ends) &\necho up\nwait`,
          },
        ],
      },
      {
        onLine: (_step, line) => {
          if (line === 'up') runner.cancel();
        },
      },
    );
    expect(job.step('it')).toMatchObject({ outcome: 'cancelled', signals: [{ signal: 'SIGINT' }] });
    expect(job.step('it').log).toEqual(expect.arrayContaining(['got it', 'child ends']));
    expect(job.step('it').log).not.toContain('child');
  });

  it('lets a step finish whose condition holds for a cancelled job', async () => {
    await using runner = await Runner.start();
    const job = await runner.run(
      { steps: [{ id: 'it', if: 'always()', run: 'echo up; sleep 0.5; echo done' }] },
      {
        onLine: (_step, line) => {
          if (line === 'up') runner.cancel();
        },
      },
    );
    expect(job.step('it')).toMatchObject({ outcome: 'success', signals: [] });
    expect(job.status).toBe('cancelled');
  });

  it('cancels a step that takes too long, and fails it', async () => {
    await using runner = await Runner.start();
    const job = await runner.run({ steps: [{ id: 'it', run: 'exec sleep 30', timeoutMinutes: 0.005 }] });
    expect(job.step('it')).toMatchObject({ outcome: 'failure', exitCode: 130, signals: [{ signal: 'SIGINT' }] });
    expect(job.step('it').annotations[0]?.message).toContain('timed out');
    expect(job.status).toBe('failure');
  });

  it('waits five seconds for output after the end, and kills what outlives the job', { timeout: 30_000 }, async () => {
    await using runner = await Runner.start();
    const job = await runner.run({ steps: [{ id: 'it', run: '(sleep 2; echo late; exec sleep 300) & echo up' }] });
    expect(job.step('it').log).toContain('late');
    expect(job.step('it').durationMs).toBeGreaterThan(4900);
    expect(job.step('it').durationMs).toBeLessThan(15_000);
    expect(job.orphans).toEqual(['sleep 300']);
  });

  it('runs no post when it dies, and the step lives on', async () => {
    await using runner = await Runner.start();
    const marker = path.join(runner.workspace, 'marker');
    const uses = await writeAction(runner, 'act', stubborn, `fs.writeFileSync(${JSON.stringify(marker)}, '');`);
    let pid = 0;
    const running = runner.run(
      { steps: [{ id: 'act', uses }] },
      {
        onStarted: (_step, started) => {
          pid = started;
        },
        onLine: (_step, line) => {
          if (line === 'up') void runner.killMinus9();
        },
      },
    );
    await expect(running).rejects.toThrow(RunnerDied);
    await sleep(200);
    await expect(readFile(marker)).rejects.toThrow();
    expect(await readFile(`/proc/${String(pid)}/cmdline`, 'utf8')).toContain('main.mjs');
  });
});
