import { expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { runChecked, systemRunner } from '../platform/run.ts';
import { setupError } from './setup-error.ts';

test('what a program said is in the error', async () => {
  const failed = await runChecked(systemRunner, 'sh', ['-c', 'echo no such thing >&2; exit 2']).catch(
    (error: unknown) => error,
  );
  expect(setupError('Making the bridge', failed)).toMatchObject({
    code: 'network-setup-failed',
    message: 'Making the bridge failed: no such thing',
  });
});

test('a program that is not there is named with what installs it', async () => {
  const failed = await systemRunner.run('offshoot-no-such-program', []).catch((error: unknown) => error);
  expect(setupError('Making the bridge', failed)).toMatchObject({
    code: 'tool-missing',
    message: 'Making the bridge failed: offshoot-no-such-program is not installed.',
  });
});

test('an error of the catalogue stays what it is', () => {
  const error = new OffshootError('host-disk-full');
  expect(setupError('Anything', error)).toBe(error);
});
