import { OffshootError } from '../../errors/offshoot-error.ts';
import { CommandError } from '../../platform/run.ts';

/** What went wrong in a capture, as `host-disk-full`, `aborted` or `freeze-failed`; errors of the catalogue stay what they are. */
export function asFreezeError(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted === true)
    return error instanceof OffshootError && error.code === 'aborted' ? error : aborted(error);
  if (!(error instanceof Error) || error instanceof OffshootError) return error;
  const code = 'code' in error ? error.code : undefined;
  const text = error instanceof CommandError ? error.result.stderr : error.message;
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(text)) {
    return new OffshootError('host-disk-full', { cause: error });
  }
  const message = `The sandbox could not be duplicated: ${error.message}`;
  return new OffshootError('freeze-failed', { message, cause: error });
}

function aborted(cause: unknown): OffshootError {
  return new OffshootError('aborted', { cause });
}
