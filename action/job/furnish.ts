import { info } from '@actions/core';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { warn } from '../annotations.ts';
import { guestTempFolder } from '../guest-env/guest-folders.ts';
import { sendWorkspace } from '../workspace/send-workspace.ts';

export interface Furnishing {
  workspace: string;
  sync: boolean;
  syncExclude: readonly string[];
  signal: AbortSignal;
}

// The workspace has the path it has on the runner, so that what the workflow's expressions said there is right here; where the guest has nothing of
// its own in /workspace, that leads there too.
const layOut = `
set -e
mkdir -p "$1" "$2"
[ "$1" = /workspace ] || [ -L /workspace ] || { rmdir /workspace && ln -s "$1" /workspace; } 2>/dev/null || :
`;

/** Gives a new sandbox its folders and the workspace. */
export async function furnish(sandbox: Sandbox, { workspace, sync, syncExclude, signal }: Furnishing): Promise<void> {
  await Promise.all([
    sandbox.exec(['/bin/sh', '-c', layOut, 'offshoot', workspace, guestTempFolder], { cwd: '/', check: true, signal }),
    sync ? send(sandbox, workspace, syncExclude, signal) : undefined,
  ]);
}

/** Sends the workspace (again): what is there already is written over, nothing is removed. */
export async function send(
  sandbox: Sandbox,
  workspace: string,
  exclude: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const sent = await sendWorkspace(sandbox, { folder: workspace, remote: workspace, exclude, signal });
  info(`synced ${String(sent.entries)} entries, ${megabytes(sent.bytes)} MB`);
  for (const warning of sent.warnings) warn(warning);
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
