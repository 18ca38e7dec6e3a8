import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import { CommandError } from '../platform/run.ts';

/** `network-setup-failed` with what was being done and why it failed; errors of the catalogue pass as they are. */
export function setupError(doing: string, cause: unknown): OffshootError {
  if (isOffshootError(cause)) return cause;
  if (isMissingProgram(cause)) {
    return new OffshootError('tool-missing', {
      message: `${doing} failed: ${cause.path} is not installed.`,
      hint: 'apt-get install iproute2 nftables util-linux',
      cause,
    });
  }
  const reason = cause instanceof CommandError ? cause.result.stderr.trim() : String(cause);
  return new OffshootError('network-setup-failed', {
    message: `${doing} failed: ${reason.slice(0, 2000)}`,
    details: { doing, reason: reason.slice(0, 2000) },
    cause,
  });
}

function isMissingProgram(error: unknown): error is NodeJS.ErrnoException & { path: string } {
  if (!(error instanceof Error)) return false;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && syscall?.startsWith('spawn') === true && path !== undefined;
}

/** Does one step of setting up or taking down; what it throws comes out as by `setupError`. */
export async function step<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw setupError(doing, error);
  }
}
