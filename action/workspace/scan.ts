import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { shown } from '../../hostd/client/entry-paths.ts';
import type { ExcludePlace, Excludes } from './excludes.ts';
import { gitRole, isGitFolder, type GitRole } from './git-roles.ts';

export interface Scan {
  /** Everything that is sent, folders before what is in them: relative to the root, a character for each byte. The first is `.`. */
  names: string[];
  /** Those among them that can hold credentials of git. */
  git: Map<string, GitRole>;
  warnings: string[];
}

interface Folder {
  name: string;
  place: ExcludePlace;
  inGit: boolean;
}

/**
 * Finds what of a workspace is sent, by names only: no file is opened. A folder that vanishes meanwhile is told; one that can't be read is
 * `local-file-error`.
 */
export async function scanWorkspace(root: string, excludes: Excludes): Promise<Scan> {
  const scan: Scan = { names: ['.'], git: new Map(), warnings: [] };
  const open: Folder[] = [{ name: '', place: excludes.root, inGit: path.basename(root) === '.git' }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = await readFolder(root, folder.name, scan.warnings);
    const inGit = folder.inGit || isGitFolder(entries.map(({ name }) => name.toString('latin1')));
    for (const entry of entries) {
      const isFolder = entry.isDirectory();
      const { excluded, place } = excludes.ask(folder.place, entry.name.toString('utf8'), isFolder);
      if (excluded) continue;
      const base = entry.name.toString('latin1');
      const name = folder.name === '' ? base : `${folder.name}/${base}`;
      if (isFolder) open.push({ name, place, inGit: inGit || base === '.git' });
      else if (!(await takeFile(root, name, entry, inGit, scan))) continue;
      scan.names.push(name);
    }
  }
  await addOtherNames(root, scan);
  return scan;
}

/** False for what is not sent. */
async function takeFile(
  root: string,
  name: string,
  entry: Dirent<Buffer>,
  inGit: boolean,
  scan: Scan,
): Promise<boolean> {
  if (entry.isSocket()) return false; // means nothing on another machine, and git's own helpers leave some
  if (!entry.isFile() && !entry.isSymbolicLink()) {
    scan.warnings.push(`${shownBytes(name)} is neither a file nor a folder nor a link and was not sent.`);
    return false;
  }
  const role = gitRole(name, inGit);
  if (role === undefined) return true;
  if (entry.isFile() || role === 'secret') scan.git.set(name, role);
  else await followLink(root, name, role, scan);
  return true;
}

/** A link is sent as it is; what it leads to, if that comes along, is what can hold credentials. */
async function followLink(root: string, name: string, role: GitRole, scan: Scan): Promise<void> {
  const inside = await insideName(root, name);
  if (inside !== undefined) scan.git.set(inside, role);
}

/** The name beneath the root of what this name (relative to the root) leads to; undefined when it is outside or not there. */
export async function insideName(root: string, name: string): Promise<string | undefined> {
  const real = await realpath(bytePath(root, name), { encoding: 'buffer' }).catch(() => undefined);
  const realRoot = await realpath(Buffer.from(root), { encoding: 'buffer' });
  const prefix = `${realRoot.toString('latin1')}/`;
  const text = real?.toString('latin1');
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined;
}

/** Other names of the same files (hard links) hold the same credentials. */
async function addOtherNames(root: string, scan: Scan): Promise<void> {
  const inodes = new Map<string, GitRole>();
  for (const [name, role] of scan.git) {
    const found = await lstat(bytePath(root, name), { bigint: true }).catch(() => undefined);
    if (found?.isFile() === true && found.nlink > 1n) inodes.set(`${String(found.dev)}:${String(found.ino)}`, role);
  }
  if (inodes.size === 0) return;
  for (const name of scan.names) {
    if (scan.git.has(name)) continue;
    const found = await lstat(bytePath(root, name), { bigint: true }).catch(() => undefined);
    const role = found?.isFile() === true ? inodes.get(`${String(found.dev)}:${String(found.ino)}`) : undefined;
    if (role !== undefined) scan.git.set(name, role);
  }
}

async function readFolder(root: string, name: string, warnings: string[]): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(bytePath(root, name), { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' || name === '') {
      throw new OffshootError('local-file-error', {
        message: `The folder ${name === '' ? shown(root) : shownBytes(name)} of the workspace can't be read (${String(code)}).`,
        cause: error,
      });
    }
    warnings.push(`The folder ${shownBytes(name)} vanished while the workspace was read.`);
    return [];
  }
}

export function bytePath(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(root), Buffer.from('/'), Buffer.from(name, 'latin1')]);
}

/** A name (a character for each byte) for a message. */
export function shownBytes(name: string): string {
  return shown(Buffer.from(name, 'latin1').toString('utf8'));
}
