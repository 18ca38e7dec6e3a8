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
