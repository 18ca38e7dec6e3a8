import { maxEnvStringBytes } from '../../hostd/contract/common.ts';
import { contextEnv } from './context-env.ts';
import { envInputError, namedValues, parseEnvInput } from './env-input.ts';
import { guestDefaultPath } from './guest-folders.ts';
import { readMachineEnv } from './machine-env.ts';
import { isOfThisProcess, isWellKnownMachineName } from './machine-names.ts';
import { isGitHubToken, looksSecret } from './tokens.ts';

export interface GuestEnvRequest {
  /** The `env` input. */
  requested: string;
  /** What earlier steps in the sandbox set by GITHUB_ENV, oldest first. */
  added: readonly { name: string; value: string }[];
  /** Absolute; the same on the runner and in the guest. */
  workspace: string;
  /** What earlier steps in the sandbox added by GITHUB_PATH, oldest first; the newest comes first in PATH. */
  pathEntries: readonly string[];
  /** The guest's PATH without them. */
  defaultPath?: string;
  /** Where the guest has a copy of the event, if it was given one. */
  guestEventPath?: string;
  /** The step's environment; default this process's. */
  env?: NodeJS.ProcessEnv;
  /** The runner's own environment; default that of the process that started this one, `unreadable` for doing without. */
  machineEnv?: Record<string, string> | 'unreadable';
}

export interface SelectedGuestEnv {
  /** The variables for a step whose folder in the guest is `stepFolder`. */
  env: (stepFolder: string) => Record<string, string>;
  /** Values that no cut of a log line may divide. */
  protectedValues: string[];
  /** Values that the runner has to mask before they could print. */
  secrets: string[];
  /** Variables of the workflow that stayed out because they are tokens. */
  withheld: string[];
}

/** Shorter values are in every other line. */
const shortestProtected = 4;
/** Masking a shorter value, as `true` of USE_TOKEN=true, would hide words of the log that are no secret. */
const shortestSecret = 6;

/**
 * The environment of a step in the guest: what every step on a runner has, what the workflow's author set, and what the `env` input asks for, each winning over
 * the one before. The author's variables are those of this process that the runner's own process does not have alike; the machine's stay out, and so do
 * tokens for GitHub unless the `env` input names them. Throws `action-input`: a bad line, a variable that is not set, a value that Linux can't take.
 */
export function selectGuestEnv(request: GuestEnvRequest): SelectedGuestEnv {
  const env = request.env ?? process.env;
  const machineEnv = request.machineEnv ?? readMachineEnv({ env });
  const { chosen: author, withheld } = authorEnv(env, machineEnv === 'unreadable' ? undefined : machineEnv);
  const requested = requestedEnv(request.requested, env);
  const added = Object.fromEntries(request.added.map(({ name, value }) => [name, value]));
  const own = { ...added, ...author, ...requested };
  const selected = { ...contextEnv(env, request.workspace, request.guestEventPath), ...own };
  const path = pathOf(own['PATH'], request);
  if (path !== undefined) selected['PATH'] = path;
  refuseTooLong(selected);
  const values = Object.values(own);
  const secrets = Object.entries(requested).filter(
    ([name, value]) => value.length >= shortestSecret && looksSecret(name, value),
  );
  return {
    env: (stepFolder) => ({
      ...selected,
      GITHUB_OUTPUT: `${stepFolder}/output`,
      GITHUB_ENV: `${stepFolder}/env`,
      GITHUB_PATH: `${stepFolder}/path`,
      GITHUB_STEP_SUMMARY: `${stepFolder}/summary`,
    }),
    protectedValues: [...new Set(values.flatMap(protectedLines))],
    secrets: [...new Set(secrets.map(([, value]) => value))],
    withheld: withheld.filter((name) => requested[name] === undefined),
  };
}

function authorEnv(
  env: NodeJS.ProcessEnv,
  machineEnv: Record<string, string> | undefined,
): { chosen: Record<string, string>; withheld: string[] } {
  const chosen: Record<string, string> = {};
  const withheld: string[] = [];
  const toolCache = env['RUNNER_TOOL_CACHE'];
  for (const [name, value = ''] of Object.entries(env)) {
    if (isOfThisProcess(name) || name.startsWith('RUNNER_')) continue;
    if (machineEnv === undefined ? isWellKnownMachineName(name) : machineEnv[name] === value) continue;
    if (isGitHubToken(name, value)) withheld.push(name);
    else if (name.startsWith('GITHUB_') || name === 'CI')
      continue; // the context has them
    else if (toolCache !== undefined && toolCache !== '' && value.startsWith(`${toolCache}/`))
      continue; // a setup action's folder on this machine
    else chosen[name] = value;
  }
  return { chosen, withheld };
}

function requestedEnv(input: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const given = parseEnvInput(input).flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...namedValues(input, env), ...Object.fromEntries(given) };
}

/** Undefined when the guest's default is right. */
function pathOf(given: string | undefined, request: GuestEnvRequest): string | undefined {
  const entries = request.pathEntries.filter((entry, index, all) => all.lastIndexOf(entry) === index);
  if (given === undefined && entries.length === 0 && request.defaultPath === undefined) return undefined;
  return [...entries.reverse(), given ?? request.defaultPath ?? guestDefaultPath].join(':');
}

function refuseTooLong(selected: Record<string, string>): void {
  const issues = Object.entries(selected).flatMap(([name, value]) => {
    const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    if (bytes <= maxEnvStringBytes) return [];
    const limit = `Linux takes at most ${String(maxEnvStringBytes)} for one variable; write it to a file of the workspace instead`;
    return [{ path: 'env', message: `${name} is ${String(bytes)} bytes with its name, and ${limit}` }];
  });
  if (issues.length > 0) throw envInputError(issues);
}

function protectedLines(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [value.includes('\n') ? '' : value, ...lines].filter((line) => line.length >= shortestProtected);
}
