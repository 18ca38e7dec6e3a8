import { z } from 'zod';
import { OffshootError } from '../errors/offshoot-error.ts';

export interface Issue {
  path: string;
  message: string;
}

const maxIssues = 20;
const maxPartLength = 80;
const maxMessageLength = 300;

/** Parses input from outside. Throws `invalid-request` with readable details.issues that repeat no values. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = readableIssues(result.error.issues);
  const first = issues[0] ?? { path: '', message: 'is not valid' };
  throw new OffshootError('invalid-request', {
    message: `The ${where} of the request is not valid: ${first.path === '' ? '' : `${first.path}: `}${first.message}.`,
    details: { in: where, issues },
  });
}

/** Issues as path and message, at most 20, without the values that were sent. */
export function readableIssues(issues: readonly z.core.$ZodIssue[]): Issue[] {
  return issues.slice(0, maxIssues).map((issue) => ({
    path: issue.path.map(readablePart).join('.'),
    message: cut(message(issue), maxMessageLength),
  }));
}

function message(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code === 'unrecognized_keys') return `unknown: ${issue.keys.slice(0, 10).map(readablePart).join(', ')}`;
  return issue.message;
}

/** A key as far as it can be shown: what follows a = may be a secret that was put in the wrong place. */
function readablePart(part: PropertyKey): string {
  const text = String(part);
  const name = text.includes('=') ? `${text.slice(0, text.indexOf('='))}=...` : text;
  return cut(name.replace(/[^\x20-\x7e]/g, '?'), maxPartLength);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}...`;
}

export const noQuery = z.strictObject({});
