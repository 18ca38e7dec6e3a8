import path from 'node:path';
import { expandBraces } from '../../hostd/client/globs.ts';
import { isOffshootError, OffshootError } from '../../hostd/errors/offshoot-error.ts';

/** Globs that are looked for beneath one folder of the sandbox, in one walk. */
export interface GlobRoot {
  folder: string;
  /** Relative to the folder, braces written out; those that begin with `!` take away. */
  include: string[];
  /** For each glob as the author wrote it, what it stands for here. */
  written: Map<string, string[]>;
}

/**
 * Sorts globs by the folder they are looked for in. Relative ones, and absolute ones that name something beneath `base`, are looked for in
 * `base`; other absolute ones in the folder before their first component with a special character (or before the last one): `/tmp/report.xml` in
 * `/tmp`, `/var/log/*.log` in `/var/log`. `!` globs take away in every folder they can name anything in. Throws `usage`.
 */
export function globRoots(globs: readonly string[], base: string): GlobRoot[] {
  const roots = new Map<string, GlobRoot>();
  const positive = globs.filter((glob) => !glob.startsWith('!'));
  for (const glob of positive) {
    for (const pattern of expandBraces(glob)) {
      const { folder, rest } = place(pattern, base);
      const root = roots.get(folder) ?? { folder, include: [], written: new Map<string, string[]>() };
      roots.set(folder, root);
      root.include.push(escaped(rest));
      root.written.set(glob, [...(root.written.get(glob) ?? []), escaped(rest)]);
    }
  }
  for (const glob of globs.filter((glob) => glob.startsWith('!'))) {
    for (const pattern of expandBraces(glob.slice(1))) takeAway(pattern, base, roots);
  }
  return [...roots.values()];
}

/** Finds what is wrong with globs before anything runs. Throws `action-input`. */
export function checkArtifactGlobs(globs: readonly string[]): void {
  try {
    globRoots(globs, '/workspace');
  } catch (error) {
    if (!isOffshootError(error)) throw error;
    throw new OffshootError('action-input', {
      message: `The input artifacts: ${error.message}`,
      hint: error.hint,
      details: { issues: [{ path: 'artifacts', message: error.message }] },
      cause: error,
    });
  }
}

/** The globs of a root that write out `.git`, and all that take away; undefined when none names it. */
export function globsNamingGit({ include }: GlobRoot): string[] | undefined {
  const isNegative = (glob: string): boolean => glob.startsWith('!');
  const naming = include.filter((glob) => !isNegative(glob) && glob.split('/').includes('.git'));
  return naming.length === 0 ? undefined : [...naming, ...include.filter(isNegative)];
}

function takeAway(pattern: string, base: string, roots: ReadonlyMap<string, GlobRoot>): void {
  checked(pattern);
  for (const root of roots.values()) {
    const rest = pattern.startsWith('/') ? beneath(root.folder, pattern) : root.folder === base ? pattern : undefined;
    if (rest !== undefined) root.include.push(`!${rest}`);
  }
}

function place(pattern: string, base: string): { folder: string; rest: string } {
  checked(pattern);
  if (!pattern.startsWith('/')) return { folder: base, rest: pattern };
  const inBase = beneath(base, pattern);
  if (inBase !== undefined) return { folder: base, rest: inBase };
  const components = pattern.split('/').filter((component) => component !== '');
  const special = components.findIndex((component) => /[*?[\\]/.test(component));
  const plain = special === -1 ? components.length - 1 : special;
  return { folder: `/${components.slice(0, plain).join('/')}`, rest: components.slice(plain).join('/') };
}

/** The rest of an absolute pattern that begins with this folder, else undefined. */
function beneath(folder: string, pattern: string): string | undefined {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  const normal = pattern.replaceAll(/\/+/g, '/');
  if (path.posix.normalize(`${normal}/`) === path.posix.normalize(`${folder}/`)) return '.';
  return normal.startsWith(prefix) ? normal.slice(prefix.length) : undefined;
}

function checked(pattern: string): string {
  if (pattern.split('/').includes('..') || pattern.includes('\0') || pattern === '') {
    throw new OffshootError('usage', {
      message: `The artifacts glob ${JSON.stringify(pattern)} ${pattern === '' ? 'is empty' : 'holds .. or NUL'}.`,
      hint: 'Name files relative to the workspace, or with an absolute path of the sandbox.',
    });
  }
  return pattern;
}

/** So that a leading `!` which the author escaped or that came out of braces is no negation. */
function escaped(pattern: string): string {
  return pattern.startsWith('!') ? `\\${pattern}` : pattern;
}
