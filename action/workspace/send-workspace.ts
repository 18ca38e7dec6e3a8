import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packNames } from '../../hostd/client/pack-names.ts';
import type { SandboxFiles } from '../../hostd/client/sandbox-files.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { Excludes } from './excludes.ts';
import { scanWorkspace, type Scan } from './scan.ts';
import { scrubTree, type ScrubbedTree } from './scrub-tree.ts';

const maxWarnings = 20;

/** The part of a sandbox that this needs. */
interface Receiver {
  files: Pick<SandboxFiles, 'uploadArchive'>;
}

export interface SendOptions {
  /** The runner's workspace. One that is not there counts as empty. */
  folder: string;
  /** Where it goes in the sandbox; absolute. */
  remote: string;
  /** As `Excludes` reads them. */
  exclude?: readonly string[];
  signal?: AbortSignal;
}

export interface SentWorkspace {
  /** Files, folders and links. */
  entries: number;
  bytes: number;
  /** Files that went without their credentials, or not at all because they hold nothing else; in quotes. */
  scrubbed: string[];
  /** What a person should know: files that changed or vanished meanwhile, or were not sent. At most 21 lines. */
  warnings: string[];
}

/**
 * Sends the runner's workspace as one stream; everything belongs to root in the sandbox. Names are read once, contents once, by tar.
 *
 * Credentials of git stay behind: each config of the repository, its submodules, worktrees and any repository nested in the tree goes without
 * headers, tokens, credential helpers, user names and passwords in URLs, ssh commands and includes of files that are not sent; `.git-credentials`,
 * `.netrc` and the files in which checkout actions keep their token do not go at all, nor does a config that can't be parsed. Other files are
 * the author's and go as they are, an `.npmrc` with a token too: `exclude` keeps them back. The workspace itself is never changed.
 *
 * Throws `local-file-error` for what can't be read, `usage` for bad globs, and what the upload throws.
 */
export async function sendWorkspace(sandbox: Receiver, options: SendOptions): Promise<SentWorkspace> {
  const root = path.resolve(options.folder);
  const excludes = new Excludes(options.exclude ?? []);
  const scratch = await mkdtemp(path.join(tmpdir(), 'offshoot-scrubbed-'));
  const copies = path.join(scratch, 'copies');
  try {
    await mkdir(copies);
    const isThere = await isFolder(root);
    const scan: Scan = isThere ? await scanWorkspace(root, excludes) : { names: ['.'], git: new Map(), warnings: [] };
    const tree = await scrubTree(root, scan, copies);
    return await upload(sandbox, isThere ? root : copies, scratch, tree, scan, options);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function upload(
  sandbox: Receiver,
  root: string,
  scratch: string,
  { asIs, copied, scrubbed, warnings }: ScrubbedTree,
  scan: Scan,
  { remote, signal }: SendOptions,
): Promise<SentWorkspace> {
  const notices: string[] = [];
  const parts = [
    { folder: root, names: asIs.map(dotted) },
    { folder: path.join(scratch, 'copies'), names: copied.map(dotted) },
  ].filter(({ names }) => names.length > 0);
  const lists = path.join(scratch, 'lists');
  await mkdir(lists);
  const onNotice = (notice: string): void => {
    notices.push(`The workspace changed while it was read: ${notice}`);
  };
  const archive = packNames(parts, { scratch: lists, onNotice });
  try {
    const owner = '0:0'; // else git in the sandbox, which runs as root, calls the ownership dubious
    const result = await sandbox.files.uploadArchive(archive, remote, {
      owner,
      ...(signal === undefined ? {} : { signal }),
    });
    const missing = asIs.length + copied.length - result.entries;
    if (result.skipped > 0 || missing > notices.length) throw partial(result.skipped + Math.max(missing, 0));
    return {
      entries: result.entries,
      bytes: result.bytes,
      scrubbed,
      warnings: few([...scan.warnings, ...warnings, ...notices]),
    };
  } finally {
    archive.destroy();
  }
}

function partial(missing: number): OffshootError {
  return new OffshootError('protocol-mismatch', {
    message: `${String(missing)} entries of the workspace did not arrive in the sandbox.`,
    hint: 'Run the step again; if it stays, report it with the output of: offshoot doctor --json',
  });
}

/** So that no name looks like an option. */
function dotted(name: string): string {
  return name === '.' ? name : `./${name}`;
}

function few(lines: readonly string[]): string[] {
  const more = lines.length - maxWarnings;
  return more <= 0 ? [...lines] : [...lines.slice(0, maxWarnings), `${String(more)} more warnings of this kind.`];
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
