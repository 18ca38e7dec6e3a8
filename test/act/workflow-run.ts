import { symlink, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemRunner } from '../../hostd/platform/run.ts';
import { tool } from './tools.ts';

export interface WorkflowRun {
  code: number | null;
  /** What act printed, both streams. */
  log: string;
}

/**
 * Runs a workflow of a repository's folder with act, its jobs on this machine itself, with the pinned Node 24 as `node`. Labels of runners
 * that the workflow names are all this machine; nothing is fetched.
 */
export async function runWorkflow(
  folder: string,
  workflow: string,
  options: { env?: Record<string, string>; path?: readonly string[]; timeoutMs?: number } = {},
): Promise<WorkflowRun> {
  const act = await tool('act');
  const scratch = await mkdtemp(path.join(tmpdir(), 'offshoot-act-'));
  try {
    await symlink(process.execPath, path.join(scratch, 'node'));
    const args = [
      ...['push', '-W', `.github/workflows/${workflow}`, '--no-cache-server', '--pull=false', '--rm'],
      ...['ubuntu-latest', 'self-hosted'].flatMap((label) => ['-P', `${label}=-self-hosted`]),
    ];
    const result = await systemRunner.run(act, args, {
      cwd: folder,
      timeoutMs: options.timeoutMs ?? 300_000,
      env: {
        ...process.env,
        ...options.env,
        // its settings and its copies of the repository
        ...{ HOME: scratch, XDG_CONFIG_HOME: scratch, XDG_CACHE_HOME: scratch, TMPDIR: scratch, NO_COLOR: '1' },
        PATH: [scratch, ...(options.path ?? []), process.env['PATH'] ?? ''].join(':'),
      },
    });
    return { code: result.code, log: result.stdout + result.stderr };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
