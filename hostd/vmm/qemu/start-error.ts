import { OffshootError } from '../../errors/offshoot-error.ts';
import { CommandError } from '../../platform/run.ts';
import { LauncherError } from './start-launcher.ts';

/** What went wrong in a start or freeze, as `host-disk-full`, `tool-missing` or `boot-failed`. */
export function asOffshootError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = 'code' in error ? error.code : undefined;
  const text = error instanceof CommandError ? error.result.stderr : error.message;
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(text)) {
    return new OffshootError('host-disk-full', { cause: error });
  }
  if (code === 'ENOENT' && 'syscall' in error && String(error.syscall).startsWith('spawn')) {
    return new OffshootError('tool-missing', { message: error.message, cause: error });
  }
  const reason = error instanceof LauncherError ? 'launcher' : 'vmm';
  return new OffshootError('boot-failed', {
    message: `The machine did not start: ${error.message}`,
    details: { reason },
    cause: error,
  });
}
