import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { gitRole, type GitRole } from './git-roles.ts';
import { bytePath, insideName, shownBytes, type Scan } from './scan.ts';
import { includedPaths, scrubConfig, withoutCredentials } from './scrub-git.ts';

const maxScrubbedBytes = 16 * 1024 * 1024;
const ref = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: \S+)\n?$/;
const reflog = /^(?:[0-9a-f]{40,64} [0-9a-f]{40,64} [^\n]*\n)*$/;

export interface ScrubbedTree {
  /** Files to be taken from the workspace as they are. */
  asIs: string[];
  /** Files to be taken from the copies. */
  copied: string[];
  /** What was left out or changed. */
  scrubbed: string[];
  warnings: string[];
}

/**
 * Makes copies without credentials, beneath `copies`, of the files that hold some. The workspace itself is not touched. A file from which
 * it can't be told, or that exists only to hold credentials, is left out and told.
 */
export async function scrubTree(root: string, scan: Scan, copies: string): Promise<ScrubbedTree> {
  const scrubbing = new Scrubbing(root, scan, copies);
  for (const [name, role] of scan.git) await scrubbing.scrub(name, role);
  return scrubbing.finish();
}

class Scrubbing {
  readonly #root: string;
  readonly #names: Set<string>;
  readonly #copies: string;
  readonly #done = new Set<string>();
  readonly #copied: string[] = [];
  readonly #dropped = new Set<string>();
  readonly #warnings: string[] = [];
  readonly #scan: Scan;

  constructor(root: string, scan: Scan, copies: string) {
    this.#root = root;
    this.#scan = scan;
    this.#names = new Set(scan.names);
    this.#copies = copies;
  }

  async scrub(name: string, role: GitRole): Promise<void> {
    if (this.#done.has(name) || !this.#names.has(name)) return;
    this.#done.add(name);
    if (role === 'secret') {
      this.#drop(name, 'holds credentials');
      return;
    }
    const text = await this.#read(name);
    if (text === undefined) return;
    const kind = role === 'config' && (ref.test(text) || reflog.test(text)) ? 'text' : role;
    const cleaned = kind === 'text' ? withoutCredentials(text) : await this.#scrubConfig(name, text);
    if (cleaned === undefined) this.#drop(name, 'is a git config that can not be read, so it may hold credentials');
    else if (cleaned !== text) await this.#copy(name, cleaned);
  }

  finish(): ScrubbedTree {
    const changed = new Set(this.#copied);
    return {
      asIs: this.#scan.names.filter((name) => !changed.has(name) && !this.#dropped.has(name)),
      copied: this.#copied,
      scrubbed: [...this.#dropped, ...changed].map(shownBytes).sort(),
      warnings: this.#warnings,
    };
  }

  /** Undefined when it is not sent, which has been told then. */
  async #read(name: string): Promise<string | undefined> {
    const file = bytePath(this.#root, name);
    try {
      const found = await stat(file);
      if (found.isFile() && found.size <= maxScrubbedBytes) return (await readFile(file)).toString('latin1');
      this.#drop(name, found.isFile() ? 'is too large to be searched for credentials' : 'changed while it was read');
      return undefined;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOENT') {
        throw new OffshootError('local-file-error', {
          message: `${shownBytes(name)} can't be read (${String(code)}), so nothing was sent.`,
          cause: error,
        });
      }
      this.#drop(name, 'vanished while the workspace was read');
      return undefined;
    }
  }

  async #scrubConfig(name: string, text: string): Promise<string | undefined> {
    const inside = new Map<string, string | undefined>();
    for (const included of includedPaths(text)) {
      const target = await this.#included(name, included);
      inside.set(included, target);
      if (target !== undefined) await this.scrub(target, 'config');
    }
    return scrubConfig(text, { isInside: (included) => inside.get(included) !== undefined });
  }

  /** The file that a config includes, when that is a part of what is sent. */
  async #included(config: string, included: string): Promise<string | undefined> {
    if (included === '' || included.startsWith('~') || included.startsWith('%(')) return undefined;
    const absolute = path.posix.isAbsolute(included)
      ? included
      : path.posix.join('/', path.posix.dirname(config), included);
    const relative = path.posix.isAbsolute(included) ? withinRoot(this.#root, absolute) : absolute.slice(1);
    const target = relative === undefined ? undefined : await insideName(this.#root, relative);
    const isSecret = target !== undefined && gitRole(target, false) === 'secret';
    return target !== undefined && !isSecret && this.#names.has(target) ? target : undefined;
  }

  async #copy(name: string, content: string): Promise<void> {
    const copy = bytePath(this.#copies, name);
    const { mode, atime, mtime } = await stat(bytePath(this.#root, name));
    const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : '';
    await mkdir(bytePath(this.#copies, folder), { recursive: true });
    await writeFile(copy, Buffer.from(content, 'latin1'), { mode: 0o600 });
    await utimes(copy, atime, mtime);
    await chmod(copy, mode & 0o777);
    this.#copied.push(name);
  }

  #drop(name: string, why: string): void {
    this.#dropped.add(name);
    this.#warnings.push(`${shownBytes(name)} was not sent: it ${why}.`);
  }
}

function withinRoot(root: string, absolute: string): string | undefined {
  const path = Buffer.from(root).toString('latin1');
  return absolute.startsWith(`${path}/`) ? absolute.slice(path.length + 1) : undefined;
}
