import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packNames } from '../../hostd/client/pack-names.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { isOffshootError } from '../../hostd/errors/offshoot-error.ts';
import { warn } from '../annotations.ts';
import { sendWorkspace, type SentWorkspace } from '../workspace/send-workspace.ts';
import { say } from '../say.ts';

export interface Furnishing {
  workspace: string;
  sync: boolean;
  syncExclude: readonly string[];
  signal: AbortSignal;
}

/** Where the guest's image has a folder for work; empty in a new sandbox. */
const usualFolder = '/workspace';
const sendAttempts = 3;

/**
 * Gives a new sandbox the workspace at the path it has on the runner, so that what the workflow's expressions said there is right here too. All of it goes
 * as archives: a process in the guest would take longer.
 */
export async function furnish(sandbox: Sandbox, furnishing: Furnishing): Promise<void> {
  const { workspace, sync, syncExclude, signal } = furnishing;
  if (sandbox.info.snapshot !== null) await moveWorkspace(sandbox, workspace, signal);
  await Promise.all([
    sync ? send(sandbox, workspace, syncExclude, signal) : makeFolder(sandbox, workspace, signal),
    workspace === usualFolder ? undefined : leadTo(sandbox, workspace, signal),
  ]);
}

/**
 * Where the snapshot was made the workspace may have had another path. It goes where it is here, with all that was installed in it; processes that are in
 * it go along.
 */
async function moveWorkspace(sandbox: Sandbox, workspace: string, signal: AbortSignal): Promise<void> {
  const link = await sandbox.files.stat(usualFolder).catch(() => undefined);
  const earlier = link?.type === 'symlink' ? link.target : undefined;
  if (earlier === undefined || earlier === workspace) return;
  const move = '[ ! -d "$1" ] || [ -e "$2" ] || { mkdir -p "${2%/*}" && mv -T "$1" "$2"; }';
  await sandbox.exec(['/bin/sh', '-c', move, 'offshoot', earlier, workspace], { cwd: '/', check: true, signal });
  say(`the snapshot's workspace ${earlier} is now at ${workspace}`);
}

/** Sends the workspace (again): what is there already is written over, nothing is removed. */
export async function send(
  sandbox: Sandbox,
  workspace: string,
  exclude: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const sent = await sendPatiently(sandbox, workspace, exclude, signal);
  say(`synced ${String(sent.entries)} entries, ${(sent.bytes / 1_000_000).toFixed(1)} MB`);
  if (sent.scrubbed.length > 0) say(`without their credentials: ${sent.scrubbed.join(', ')}`);
  for (const warning of sent.warnings) warn(warning);
}

/** A connection that broke, or a hostd that is being restarted, costs the sending and not the job. */
async function sendPatiently(
  sandbox: Sandbox,
  workspace: string,
  exclude: readonly string[],
  signal: AbortSignal,
): Promise<SentWorkspace> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendWorkspace(sandbox, { folder: workspace, remote: workspace, exclude, signal });
    } catch (error) {
      const mayPass = isOffshootError(error) && error.retryable && !signal.aborted;
      if (!mayPass || attempt === sendAttempts) throw error;
      say(`the workspace is sent again: ${error.message}`);
      await sandbox.refresh(); // waits for a hostd that is away
    }
  }
}

async function makeFolder(sandbox: Sandbox, folder: string, signal: AbortSignal): Promise<void> {
  await withScratch(async (scratch) => {
    await sendWorkspace(sandbox, { folder: path.join(scratch, 'nothing'), remote: folder, signal });
  });
}

/** A link in the place of the usual folder, as long as nothing is in that. */
async function leadTo(sandbox: Sandbox, workspace: string, signal: AbortSignal): Promise<void> {
  await withScratch(async (scratch) => {
    const name = path.basename(usualFolder);
    const [folder, lists] = [path.join(scratch, 'content'), path.join(scratch, 'lists')];
    await Promise.all([mkdir(folder), mkdir(lists)]);
    await symlink(workspace, path.join(folder, name));
    const archive = packNames([{ folder, names: [name] }], { scratch: lists, onNotice: say });
    await sandbox.files.uploadArchive(archive, path.dirname(usualFolder), { owner: '0:0', signal });
  }).catch((error: unknown) => {
    if (!isOffshootError(error) || error.code !== 'guest-file-error') throw error;
    say(`${usualFolder} has content of its own and stays as it is`);
  });
}

async function withScratch(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-furnish-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
