import path from 'node:path';
import type { JobState } from './job-state.ts';

/**
 * The variables of a step beyond those of the machine, in the order of the real runner: env contexts, inputs and state, PATH, and last
 * the contexts, so that neither an env block nor GITHUB_ENV can set GITHUB_ or RUNNER_ variables that the runner itself sets.
 */
export function stepVariables(
  job: JobState,
  parts: {
    envContext: Readonly<Record<string, string>>;
    own: Readonly<Record<string, string>>;
    github: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const { request } = job;
  const variables: Record<string, string> = { ...parts.envContext, ...parts.own };
  if (job.path.length > 0) {
    const original = variables['PATH'] ?? process.env['PATH'] ?? '';
    variables['PATH'] = [...job.path].reverse().join(':') + (original === '' ? '' : `:${original}`);
  }
  const github = { ...request.github, ...parts.github };
  for (const [name, value] of Object.entries(github)) variables[`GITHUB_${name.toUpperCase()}`] = value;
  Object.assign(variables, runnerVariables(request.temp, request.debug), { GITHUB_ACTIONS: 'true' });
  if (variables['CI'] === undefined && process.env['CI'] === undefined) variables['CI'] = 'true';
  delete variables['NODE_ICU_DATA'];
  return Object.fromEntries(Object.entries(variables).filter(([name]) => name !== ''));
}

function runnerVariables(temp: string, debug: boolean): Record<string, string> {
  return {
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: process.arch === 'x64' ? 'X64' : process.arch.toUpperCase(),
    RUNNER_NAME: 'emulated',
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_TEMP: temp,
    RUNNER_TOOL_CACHE: path.join(path.dirname(temp), '_tool'),
    RUNNER_WORKSPACE: path.dirname(temp),
    ...(debug && { RUNNER_DEBUG: '1' }),
  };
}
