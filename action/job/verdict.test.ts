import { expect, test } from 'vitest';
import { endedExec } from '../../hostd/client/testing/scripted-server.ts';
import type { ExecInfo } from '../../hostd/contract/exec.ts';
import { judgeExec } from './verdict.ts';

const ended: ExecInfo = endedExec;
const facts = { name: 'run', memoryMiB: 512, timeoutMs: 90_000 };

test.each<[Partial<ExecInfo>, number, string]>([
  [{ exitCode: 3 }, 3, 'run failed with exit code 3.'],
  [{ exitCode: 143, signal: 'SIGTERM' }, 143, 'run was ended by SIGTERM (exit code 143).'],
  [{ exitCode: 143, signal: 'SIGTERM', timedOut: true }, 143, 'timeout-minutes (1.5)'],
  [{ exitCode: 0, timedOut: true }, 1, 'was ended'],
  [{ exitCode: 137, signal: 'SIGKILL', oomKilled: true }, 137, 'The sandbox has 512 MiB'],
  [{ exitCode: 127, failure: { code: 'command-not-found', message: 'fish: not found' } }, 127, 'fish: not found'],
  [
    { exitCode: null, failure: { code: 'cwd-missing', message: 'no/such is not there' } },
    1,
    'could not be started: no/such is not there',
  ],
  [{ exitCode: null, timedOut: true, failure: { code: 'stream-lost', message: 'x' } }, 1, 'was ended'],
])('%j ends the step with %i', (changes, exitCode, message) => {
  const verdict = judgeExec({ ...ended, ...changes }, facts);
  expect(verdict).toMatchObject({ ok: false, exitCode });
  expect(verdict.ok ? '' : verdict.message).toContain(message);
});

test('only exit code 0 is success', () => {
  expect(judgeExec(ended, facts)).toEqual({ ok: true, exitCode: 0 });
});
