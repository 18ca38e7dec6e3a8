import { CommanderError } from 'commander';
import { z } from 'zod';
import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';

/** Exit code for Offshoot's own failures; a guest command's code passes through otherwise. */
export const ownFailureExitCode = 125;

const endDetailsSchema = z.object({ end: z.object({ message: z.string().min(1) }) });

/** As many as hostd names of the rules of a list. */
const shownIssues = 50;

/** What the reader of a terminal can do, where the catalogue speaks of details that only JSON has. */
const hints: Partial<Record<ErrorCode, string>> = { 'sandbox-gone': 'Create a new one.' };

/** Prints an error for people, or as JSON, and returns the exit code. Never a stack trace, unless OFFSHOOT_DEBUG is set. */
export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ownFailureExitCode;
  const failure = asOffshootError(error);
  if (json) {
    const { code, message, hint, details } = failure;
    process.stderr.write(
      `${JSON.stringify({ error: { code, message, hint, retryable: failure.retryable, details } })}\n`,
    );
  } else {
    process.stderr.write(`offshoot: ${failure.message} [${failure.code}]\n`);
    for (const issue of [...endOf(failure), ...issuesOf(failure)]) process.stderr.write(`  - ${issue}\n`);
    const hint = hints[failure.code] ?? failure.hint;
    if (hint !== '') process.stderr.write(`  hint: ${hint}\n`);
  }
  if (process.env['OFFSHOOT_DEBUG'] !== undefined) console.error(error);
  return ownFailureExitCode;
}

function asOffshootError(error: unknown): OffshootError {
  if (error instanceof OffshootError) return error;
  if (isOffshootError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code: ErrorCode = 'internal';
  return new OffshootError(code, {
    message,
    hint: `${catalogue[code].hint} OFFSHOOT_DEBUG=1 shows where it happened.`,
    cause: error,
  });
}

/** Why a sandbox that is gone has ended. */
function endOf({ details }: OffshootError): string[] {
  const { success, data } = endDetailsSchema.safeParse(details);
  return success ? [data.end.message] : [];
}

function issuesOf(failure: OffshootError): string[] {
  const issues = failure.details['issues'];
  if (!Array.isArray(issues)) return [];
  const left = issues.length - shownIssues;
  const shown = issues.slice(0, shownIssues).map((issue: unknown) => {
    if (typeof issue === 'string') return issue;
    if (typeof issue !== 'object' || issue === null || !('message' in issue)) return JSON.stringify(issue);
    const path = 'path' in issue ? String(issue.path) : '';
    return path === '' ? String(issue.message) : `${path}: ${String(issue.message)}`;
  });
  return left > 0 ? [...shown, `and ${String(left)} more`] : shown;
}
