import { lstat, mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unpackSound } from '../../hostd/client/archives.ts';
import { shown } from '../../hostd/client/entry-paths.ts';
import { chosenBy } from '../../hostd/client/globs.ts';
import { brokenOff, type SandboxFiles } from '../../hostd/client/sandbox-files.ts';
import type { Unpacked } from '../../hostd/client/unpack.ts';
import { isOffshootError, OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { globRoots, globsNamingGit, type GlobRoot } from './artifact-globs.ts';
import { ClosedFolders } from './closed-folders.ts';

const defaultMaxEntries = 100_000;
const defaultMaxBytes = 10 * 1024 ** 3;
const maxAttempts = 3;

/** The part of a sandbox that this needs. */
interface Giver {
  files: Pick<SandboxFiles, 'downloadArchive'>;
}

export interface CollectOptions {
  globs: readonly string[];
  /** What relative globs are relative to, in the sandbox: the guest's workspace. */
  base: string;
  /** Folder of this machine; made if need be. */
  into: string;
  /** Files, folders and links together, for each folder that is looked through; default 100,000. */
  maxEntries?: number;
  /** For each folder that is looked through; default 10 GiB. */
  maxBytes?: number;
  /** Before a further attempt, doubled for each; default 500. */
  retryDelayMs?: number;
  signal?: AbortSignal;
}

export interface CollectedArtifacts {
  /** Files and links. */
  files: number;
  bytes: number;
  /** Globs, as given, that no file matches. */
  unmatched: string[];
  /** Names, in quotes, of what the sandbox offered but does not come in, and why. */
  refused: string[];
  /** What a person should know: attempts that broke off. */
  warnings: string[];
}

/**
 * Brings what matches the globs out of the sandbox, with its path relative to `base`, in one walk and one stream for all. A file outside `base` that an
 * absolute glob names lands by its path beneath the part of the glob without special characters: `/tmp/report.xml` as `report.xml`.
 * Globs are those of `SandboxFiles.download`.
 *
 * The sandbox is not trusted: see `unpackFresh`. Only what was asked for comes in, nothing in a folder `.git` unless a glob names that one, since git
 * on this machine would run what is configured there, and nothing in `ClosedFolders` at all. What comes replaces what is there. Each folder's part comes whole or not at all.
 *
 * A connection that breaks is tried again, three times in all. Throws `usage` for bad globs, `unsafe-archive` beyond the bounds (which it names),
 * `local-file-error`, and what the download throws.
 */
export async function collectArtifacts(sandbox: Giver, options: CollectOptions): Promise<CollectedArtifacts> {
  const collected: CollectedArtifacts = { files: 0, bytes: 0, unmatched: [], refused: [], warnings: [] };
  const base = path.posix.resolve(options.base);
  const matched = new Set<string>();
  const roots = globRoots(options.globs, base);
  const made = await prepare(options.into, base);
  const closed = new ClosedFolders(base, options.into);
  try {
    for (const root of roots) {
      const unpacked = await persist(() => fetchRoot(sandbox, root, closed, options), options, collected.warnings);
      collected.files += unpacked.files.length;
      collected.bytes += unpacked.bytes;
      collected.refused.push(...unpacked.refused);
      for (const glob of matchedGlobs(root, unpacked)) matched.add(glob);
    }
  } finally {
    if (made !== undefined && collected.files === 0) await removeEmpty(options.into, made);
  }
  collected.unmatched = options.globs.filter((glob) => !glob.startsWith('!') && !matched.has(glob));
  return collected;
}

async function fetchRoot(
  sandbox: Giver,
  root: GlobRoot,
  closed: ClosedFolders,
  options: CollectOptions,
): Promise<Unpacked & { seen: string[] }> {
  const { into, signal, maxEntries = defaultMaxEntries, maxBytes = defaultMaxBytes } = options;
  const chosen = chosenBy(root.include);
  const naming = globsNamingGit(root);
  const chosenInGit = naming === undefined ? () => false : chosenBy(naming);
  const seen: string[] = [];
  const wanted = (name: string, type: string): boolean => {
    if (!chosen(name)) return false;
    if (type !== 'directory') seen.push(name);
    if (closed.has(name)) return false;
    return !name.toLowerCase().split('/').includes('.git') || chosenInGit(name);
  };
  try {
    const request = { include: root.include, ...(signal === undefined ? {} : { signal }) };
    const archive = await sandbox.files.downloadArchive(root.folder, request);
    const unpacked = await unpackSound(archive, into, { wanted, maxEntries, maxBytes });
    return { ...unpacked, refused: withReasons(unpacked.refused, seen, closed), seen };
  } catch (error) {
    if (signal?.aborted === true) throw new OffshootError('aborted', { cause: error });
    if (isOffshootError(error) && error.code === 'guest-file-not-found')
      return { files: [], bytes: 0, refused: [], seen };
    if (isOffshootError(error) && error.code === 'unsafe-archive') {
      throw new OffshootError('unsafe-archive', {
        message: `The artifacts in ${shown(root.folder)} were not brought back: ${error.message}`,
        hint: 'Narrow the globs, or pack the files into one archive in the sandbox.',
        cause: error,
      });
    }
    throw brokenOff(error, root.folder);
  }
}

/** Says of what was asked for, but may not come in, the true reason. */
function withReasons(refused: readonly string[], seen: readonly string[], closed: ClosedFolders): string[] {
  const kept = new Set(seen.filter((name) => closed.has(name)).map((name) => `${shown(name)} was not asked for`));
  return refused.map((line) =>
    kept.has(line) ? line.replace(/was not asked for$/, 'would change git or GitHub files of this machine') : line,
  );
}

/** Tries again when the connection broke. What an attempt had unpacked is gone by then. */
async function persist<Result>(
  attempt: () => Promise<Result>,
  { retryDelayMs = 500, signal }: CollectOptions,
  warnings: string[],
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isOffshootError(error) || error.code !== 'host-unreachable' || attempts === maxAttempts) throw error;
      warnings.push(`Bringing artifacts back broke off and was tried again: ${error.message}`);
      await sleep(retryDelayMs * 2 ** (attempts - 1), undefined, signal === undefined ? {} : { signal }).catch(() => {
        throw new OffshootError('aborted', { cause: error });
      });
    }
  }
}

function matchedGlobs(root: GlobRoot, { seen }: { seen: readonly string[] }): string[] {
  return [...root.written].flatMap(([glob, patterns]) => (seen.some(chosenBy(patterns)) ? [glob] : []));
}

/** Makes the folder and returns the first folder that was made. Links beneath the workspace are not followed: a pull request can have brought them. */
async function prepare(into: string, base: string): Promise<string | undefined> {
  const beneath = path.relative(base, path.resolve(into));
  let folder = base;
  for (const name of beneath.startsWith('..') ? [] : beneath.split(path.sep)) {
    folder = path.join(folder, name);
    const found = await lstat(folder).catch(() => undefined);
    if (found !== undefined && !found.isDirectory()) {
      throw new OffshootError('local-file-error', {
        message: `Artifacts can't go to ${shown(into)}: ${shown(folder)} is no folder.`,
        hint: 'Name another folder in artifacts-dir, or remove what is there.',
      });
    }
  }
  try {
    return await mkdir(into, { recursive: true });
  } catch (error) {
    throw new OffshootError('local-file-error', { message: `The folder ${shown(into)} can't be made.`, cause: error });
  }
}

async function removeEmpty(into: string, first: string): Promise<void> {
  for (let folder = path.resolve(into); folder.length >= path.resolve(first).length; folder = path.dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
