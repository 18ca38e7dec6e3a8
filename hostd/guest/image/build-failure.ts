import { CommandError } from '../../platform/run.ts';
import { isOffshootError, OffshootError } from '../../errors/offshoot-error.ts';

const noSpace = /ENOSPC|No space left on device|don't have enough free space|not enough space/i;

/** The catalogue's error for whatever stopped a build. `lines` are the last that were printed. */
export function buildFailure(
  error: unknown,
  at: { image: string; step: string; log: string; lines: readonly string[] },
): OffshootError {
  if (isOffshootError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const details = { image: at.image, step: at.step, log: at.log, lines: at.lines.slice(-20) };
  if (noSpace.test(text) || at.lines.some((line) => noSpace.test(line))) {
    return new OffshootError('host-disk-full', {
      message: `The disk filled up while the image ${at.image} was built (step ${at.step}).`,
      details,
      cause: error,
    });
  }
  return new OffshootError('image-build-failed', {
    message: `The image ${at.image} could not be built: step ${at.step}: ${reason(error, at.lines)}`,
    hint: `The whole log is ${at.log}. A second try continues with what was downloaded.`,
    details,
    cause: error,
  });
}

/** A tool says why it stopped in its last line; the command line that runs it says nothing to a reader. */
function reason(error: unknown, lines: readonly string[]): string {
  if (error instanceof CommandError) {
    const said = error.result.stderr.trim().split('\n').at(-1) ?? '';
    return said === '' ? (lines.at(-1) ?? error.message.slice(0, 600)) : said.slice(-600);
  }
  return (error instanceof Error ? error.message : String(error)).slice(0, 600);
}
