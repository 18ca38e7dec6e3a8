import { expect, test } from 'vitest';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { CommandError } from '../../platform/run.ts';
import { asOffshootError } from './start-error.ts';
import { LauncherError, startLauncher } from './start-launcher.ts';

const errno = (code: string, syscall: string) => Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });

test('a full disk is told as such, whoever met it', () => {
  const failed = { code: 1, signal: null, stdout: '', stderr: 'qemu-img: o.qcow2: No space left on device' };
  const met = [
    errno('ENOSPC', 'write'),
    new CommandError('qemu-img', [], failed),
    new LauncherError('write vmm.pid: No space left on device'),
  ];
  for (const error of met) expect(asOffshootError(error)).toMatchObject({ code: 'host-disk-full', cause: error });
});

test('a missing launcher is a missing tool', async () => {
  const error: unknown = await startLauncher('/no/launcher', '/tmp', () => undefined).catch(
    (caught: unknown) => caught,
  );
  expect(asOffshootError(error)).toMatchObject({
    code: 'tool-missing',
    message: expect.stringContaining('/no/launcher') as string,
  });
});

test('all else is a boot that failed, and keeps its words; a known error stays itself', () => {
  expect(asOffshootError(new LauncherError('tap t0: No such device'))).toMatchObject({
    code: 'boot-failed',
    message: 'The machine did not start: tap t0: No such device',
    details: { reason: 'launcher' },
  });
  expect(asOffshootError(errno('EACCES', 'open'))).toMatchObject({ code: 'boot-failed', details: { reason: 'vmm' } });
  const known = new OffshootError('boot-failed');
  expect(asOffshootError(known)).toBe(known);
});
