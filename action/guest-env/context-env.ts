import { guestTempFolder, guestToolCacheFolder } from './guest-folders.ts';
import { isGitHubToken } from './tokens.ts';

/**
 * GitHub's variables of every step (docs.github.com: "Variables reference", default variables; the last is of the runner's github context), without the files and folders that
 * only the runner has. Only these: a machine can have others of its own, with that beginning and secrets in them.
 */
const fromGitHub = `
  ACTION ACTION_REPOSITORY ACTOR ACTOR_ID API_URL BASE_REF EVENT_NAME GRAPHQL_URL HEAD_REF JOB REF REF_NAME REF_PROTECTED REF_TYPE REPOSITORY REPOSITORY_ID
  REPOSITORY_OWNER REPOSITORY_OWNER_ID RETENTION_DAYS RUN_ATTEMPT RUN_ID RUN_NUMBER SERVER_URL SHA TRIGGERING_ACTOR WORKFLOW WORKFLOW_REF WORKFLOW_SHA ACTION_REF
`
  .trim()
  .split(/\s+/)
  .map((name) => `GITHUB_${name}`);
const fromRunner = [
  'RUNNER_OS',
  'RUNNER_ARCH',
  'RUNNER_NAME',
  'RUNNER_ENVIRONMENT',
  'RUNNER_DEBUG',
  'RUNNER_WORKSPACE',
];

/** What every step on a runner can rely on: CI and what is documented of GITHUB_* and RUNNER_*, with the guest's folders in place of the runner's. Without tokens. */
export function contextEnv(
  env: NodeJS.ProcessEnv,
  workspace: string,
  guestEventPath: string | undefined,
): Record<string, string> {
  const context: Record<string, string> = { CI: env['CI'] ?? 'true', GITHUB_ACTIONS: 'true' };
  for (const name of [...fromGitHub, ...fromRunner]) {
    const value = env[name];
    if (value !== undefined && !isGitHubToken(name, value)) context[name] = value;
  }
  if (guestEventPath !== undefined) context['GITHUB_EVENT_PATH'] = guestEventPath;
  return {
    ...context,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: guestTempFolder,
    RUNNER_TOOL_CACHE: guestToolCacheFolder,
  };
}
