import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { createLogger } from './logger.ts';

it('logs JSON lines without env values and credentials', () => {
  const lines: string[] = [];
  const { log } = createLogger('info', (line) => lines.push(line));
  log.info(
    { env: { A: 'hunter2' }, request: { env: { B: 'hunter2' }, headers: { authorization: 'Bearer hunter2' } } },
    'x',
  );
  log.info({ authorization: 'hunter2', body: { exec: { env: { C: 'hunter2' } } } }, 'y');
  log.debug({}, 'not at this level');
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'info', msg: 'x', request: { headers: { authorization: '[hidden]' } } },
    { level: 'info', msg: 'y' },
  ]);
});

it('logs errors with their causes and stacks', () => {
  const lines: string[] = [];
  const { log } = createLogger('info', (line) => lines.push(line));
  log.error({ err: new OffshootError('internal', { cause: new Error('the root of it') }) }, 'failed');
  expect(lines[0]).toContain('the root of it');
  expect(lines[0]).toContain('logger.test.ts');
});

it('flush returns when nobody reads the log any more', async () => {
  const program = `
    import { createLogger } from ${JSON.stringify(join(import.meta.dirname, 'logger.ts'))};
    const { log, flush } = createLogger('info');
    process.stdin.once('data', () => {
      log.info({}, 'noticed here');
      setTimeout(() => { log.info({}, 'never written'); flush(); process.exit(7); }, 200);
    });
    process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], { stdio: 'pipe' });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stderr.destroy();
  child.stdin.write('go');
  const late = new Promise((resolve) => setTimeout(resolve, 10_000, 'late').unref());
  const ended = await Promise.race([exit, late]);
  child.kill('SIGKILL');
  expect(ended).toEqual([7, null]);
});
