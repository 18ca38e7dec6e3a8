/** What a file of git can hold: settings, text with URLs in it, or nothing but credentials. */
export type GitRole = 'config' | 'text' | 'secret';

const configName = /^config(?:\.worktree)?(?:\.lock|\.bak|\.orig|\.old|\.save|~)?$/;
// a reflog, and the files that named remotes before there were config files
const textPlace = /(?:^|\/)logs\/(?:HEAD|refs\/.+)$|(?:^|(?<!\brefs)\/)(?:remotes|branches)\/[^/]+$/;
/** Files that exist to hold credentials, wherever they are. The last are what checkout actions keep theirs in. */
const secretName = /^(?:\.git-credentials|[._]netrc|git-credentials-.*\.config)$/;

/**
 * True for the content of a git folder, whatever its name: a repository's, a bare one's, a submodule's or a linked worktree's.
 * Source: https://git-scm.com/docs/gitrepository-layout
 */
export function isGitFolder(names: readonly string[]): boolean {
  if (!names.includes('HEAD')) return false;
  return ['objects', 'refs', 'commondir', 'packed-refs', 'reftable'].some((name) => names.includes(name));
}

/** Of a file with this path; `inGit`: in or anywhere beneath a git folder. */
export function gitRole(name: string, inGit: boolean): GitRole | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (secretName.test(base)) return 'secret';
  if (!inGit) return undefined;
  if (base === 'credentials') return 'secret';
  if (configName.test(base)) return 'config';
  return base === 'FETCH_HEAD' || textPlace.test(name) ? 'text' : undefined;
}
