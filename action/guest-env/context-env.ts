import path from 'node:path';
import { guestTempFolder, guestToolCacheFolder } from './guest-folders.ts';
import { isGitHubToken } from './tokens.ts';

/** Host folders and files that the guest does not have. */
const hostOnly = new Set(['GITHUB_ACTION_PATH', 'GITHUB_EVENT_PATH', 'GITHUB_STATE', 'GITHUB_ARTIFACTS']);
const fromRunner = [
  'RUNNER_OS',
  'RUNNER_ARCH',
  'RUNNER_NAME',
  'RUNNER_ENVIRONMENT',
  'RUNNER_DEBUG',
  'RUNNER_WORKSPACE',
];

/** What every step on a runner can rely on: CI, GITHUB_* and RUNNER_*, with the guest's folders in place of the runner's. Without tokens. */
export function contextEnv(
  env: NodeJS.ProcessEnv,
  workspace: string,
  guestEventPath: string | undefined,
): Record<string, string> {
  const context: Record<string, string> = { CI: env['CI'] ?? 'true', GITHUB_ACTIONS: 'true' };
  // file commands, also those that are not known yet, lie in one folder of the runner
  const fileCommands = path.dirname(env['GITHUB_OUTPUT'] ?? env['GITHUB_ENV'] ?? '/no/file/commands/x');
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('GITHUB_') || name.startsWith('GITHUB_ACTIONS_RUNNER_') || hostOnly.has(name)) continue;
    if (path.dirname(value) === fileCommands || isGitHubToken(name, value)) continue;
    context[name] = value;
  }
  for (const name of fromRunner) {
    const value = env[name];
    if (value !== undefined) context[name] = value;
  }
  if (guestEventPath !== undefined) context['GITHUB_EVENT_PATH'] = guestEventPath;
  return {
    ...context,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: guestTempFolder,
    RUNNER_TOOL_CACHE: guestToolCacheFolder,
  };
}
