import { OffshootError } from '../../hostd/errors/offshoot-error.ts';

export interface RequestedVariable {
  name: string;
  /** Undefined: the value is the step's own. */
  value: string | undefined;
  /** In the input, from 1. */
  line: number;
}

/** Their files lie in the guest; a value from here would lead nowhere. */
const fileCommands = new Set(['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY', 'GITHUB_STATE']);

/**
 * Reads the `env` input: one variable a line, `NAME=VALUE`, or `NAME` to pass the step's own; lines that are empty or start with `#` say nothing. Everything
 * behind the first `=` is the value, as it is: quotes, `#` and blanks are part of it, nothing is expanded. A value of several lines can only be passed by name.
 * Throws `action-input` that names each bad line, never a value.
 */
export function parseEnvInput(input: string): RequestedVariable[] {
  const requested: RequestedVariable[] = [];
  const issues: { path: string; message: string }[] = [];
  for (const [index, raw] of input.split(/\r?\n/).entries()) {
    const text = raw.trimStart();
    if (text === '' || text.startsWith('#')) continue;
    const line = index + 1;
    const equals = text.indexOf('=');
    const name = equals < 0 ? text.trimEnd() : text.slice(0, equals);
    const problem =
      nameProblem(name, equals >= 0) ?? (text.includes('\0') ? 'has a NUL, which no variable can hold' : undefined);
    if (problem !== undefined) issues.push({ path: 'env', message: `line ${String(line)} ${problem}` });
    else requested.push({ name, value: equals < 0 ? undefined : text.slice(equals + 1), line });
  }
  if (issues.length > 0) throw envInputError(issues);
  return requested;
}

/** What the bare names of the `env` input stand for in this step. Throws `action-input` for a bad line and for a name that is not set. */
export function namedValues(input: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const named: Record<string, string> = {};
  const issues: { path: string; message: string }[] = [];
  for (const { name, value, line } of parseEnvInput(input)) {
    if (value !== undefined) continue;
    const own = env[name];
    if (own !== undefined) named[name] = own;
    else issues.push({ path: 'env', message: `line ${String(line)} asks for ${name}, which is not set in this step` });
  }
  if (issues.length > 0) throw envInputError(issues);
  return named;
}

export function envInputError(issues: { path: string; message: string }[]): OffshootError {
  const more = issues.length > 1 ? ` (and ${String(issues.length - 1)} more)` : '';
  return new OffshootError('action-input', {
    message: `The input env: ${issues[0]?.message ?? 'is not valid'}${more}.`,
    hint: 'One variable a line: NAME=VALUE, or NAME to pass the variable of the step.',
    details: { issues },
  });
}

function nameProblem(name: string, hasValue: boolean): string | undefined {
  if (fileCommands.has(name)) return `names ${name}, whose file is the sandbox's own`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined;
  if (name === '') return 'has no name before =';
  // what is no name may be a piece of a secret of several lines: it is not shown
  return hasValue ? 'has a name with other characters than letters, digits and _' : 'is neither NAME=VALUE nor a NAME';
}
