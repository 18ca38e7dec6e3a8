import { error, info, warning } from '@actions/core';
import { isOffshootError, type OffshootError } from '../hostd/errors/offshoot-error.ts';

/** The runner shows so many of each kind for a step; what is more goes to the log as plain lines. */
const shown = 10;
/** Longer messages are cut by the runner. */
const longestMessage = 4096;

const told = { error: 0, warning: 0 };

/** An annotation that a person can act on. */
export function tell(kind: 'error' | 'warning', title: string, message: string): void {
  told[kind] += 1;
  const text = message.slice(0, longestMessage);
  if (told[kind] > shown) info(`${kind}: ${title}: ${text}`);
  else if (kind === 'error') error(text, { title });
  else warning(text, { title });
}

export function warn(message: string): void {
  tell('warning', 'Offshoot', message);
}

/** Says what failed and what to do about it; never a stack trace unless the runner's debug logging is on. */
export function tellFailure(failure: unknown): void {
  const { title, message } = explain(failure);
  tell('error', title, message);
  if (process.env['RUNNER_DEBUG'] === '1' && failure instanceof Error) info(failure.stack ?? '');
}

export function explain(failure: unknown): { title: string; message: string } {
  if (!isOffshootError(failure)) {
    const message = failure instanceof Error ? failure.message : String(failure);
    return {
      title: 'Offshoot: internal',
      message: `${message}\nRe-run the job with debug logging to see where it happened.`,
    };
  }
  const issues = issuesOf(failure).map((issue) => `\n- ${issue}`);
  const hint = failure.hint === '' ? '' : `\n${failure.hint}`;
  return { title: `Offshoot: ${failure.code}`, message: `${failure.message}${issues.join('')}${hint}` };
}

function issuesOf(failure: OffshootError): string[] {
  const issues = failure.details['issues'];
  if (!Array.isArray(issues)) return [];
  return issues.slice(0, 10).map((issue: unknown) => {
    if (typeof issue !== 'object' || issue === null || !('message' in issue)) return String(issue);
    return `${'path' in issue ? `${String(issue.path)}: ` : ''}${String(issue.message)}`;
  });
}
