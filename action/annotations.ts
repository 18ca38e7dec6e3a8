import { error, notice, warning } from '@actions/core';
import type { ErrorCode } from '../hostd/errors/catalogue.ts';
import { isOffshootError, type OffshootError } from '../hostd/errors/offshoot-error.ts';
import { say } from './say.ts';

/** The runner shows so many of each kind for a step; what is more goes to the log as plain lines. */
const shown = 10;
/** Longer messages are cut by the runner. */
const longestMessage = 4096;

const show = { error, warning, notice };
const told = { error: 0, warning: 0, notice: 0 };

/** An annotation that a person can act on. */
export function tell(kind: keyof typeof show, title: string, message: string): void {
  told[kind] += 1;
  const text = message.slice(0, longestMessage);
  if (told[kind] > shown) say(`${kind}: ${title}: ${text}`);
  else show[kind](text, { title });
}

export function warn(message: string): void {
  tell('warning', 'Offshoot', message);
}

/** Says what failed and what to do about it; never a stack trace unless the runner's debug logging is on. */
export function tellFailure(failure: unknown): void {
  const { title, message } = explain(failure);
  tell('error', title, message);
  if (process.env['RUNNER_DEBUG'] === '1' && failure instanceof Error) say(failure.stack ?? '');
}

/** What the reader of a workflow can do, where the catalogue speaks to users of the command line. */
const hints: Partial<Record<ErrorCode, string>> = {
  'host-unreachable': 'Is hostd running there, and may the runner use its socket? The input host names it.',
  'guest-disk-full': 'Ask for more with the input disk.',
  'capacity-impossible': 'Ask for less with the inputs cpus, memory and disk.',
  'image-not-found': 'On the host, offshoot image list shows the images; offshoot image build NAME makes one.',
  'snapshot-in-use': 'Other sandboxes stand on it: wait for their jobs to end, or choose another name.',
};

export function explain(failure: unknown): { title: string; message: string } {
  if (!isOffshootError(failure)) {
    const message = failure instanceof Error ? failure.message : String(failure);
    return {
      title: 'Offshoot: internal',
      message: `${message}\nRe-run the job with debug logging to see where it happened.`,
    };
  }
  const all = issuesOf(failure);
  const issues = all.length < 2 ? [] : all.map((issue) => `\n- ${issue}`);
  const advice = hints[failure.code] ?? failure.hint;
  const hint = advice === '' ? '' : `\n${advice}`;
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
