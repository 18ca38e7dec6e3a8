import type { Runner, RunResult } from '../../platform/run.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';

/** Where a package manager is asked. */
export interface AskContext {
  runner: Runner;
  /** Projects have a configuration of their own. */
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Asks a package manager on this machine where its packages come from. Gives URLs as they are configured, credentials included. */
export type AskTool = (context: AskContext) => Promise<string[]>;

/** npm takes a second or two to start, more on a busy machine. */
const timeoutMs = 20_000;

/** The output of the first of these commands that there is. Throws `egress-auto-failed`. */
export async function askTool(
  tool: string,
  commands: readonly (readonly [string, ...string[]])[],
  { runner, cwd, env }: AskContext,
): Promise<string> {
  let failure = 'it is not installed';
  for (const [command, ...args] of commands) {
    const result = await runner.run(command, args, { cwd, env, timeoutMs }).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      const why = error instanceof Error ? error.message : String(error);
      throw autoFailed(tool, `${[command, ...args].join(' ')} gave no answer: ${why}`);
    });
    if (result?.code === 0) return result.stdout;
    if (result !== undefined) failure = ended(command, args, result);
  }
  throw autoFailed(tool, failure);
}

export function autoFailed(tool: string, why: string): OffshootError {
  return new OffshootError('egress-auto-failed', {
    message: `auto:${tool}: the hosts of ${tool} on this machine could not be found out: ${why}`,
    details: { tool },
  });
}

/** Without what the program printed: that may hold a configuration's passwords. */
function ended(command: string, args: readonly string[], { code, signal }: RunResult): string {
  return `${[command, ...args].join(' ')} ended with ${signal ?? `exit code ${String(code)}`}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
