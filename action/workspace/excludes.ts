import {
  expandBraces,
  globAdvance,
  globIsMet,
  globStart,
  parseGlob,
  type Glob,
  type GlobPositions,
} from '../../hostd/client/globs.ts';

interface Rule {
  glob: Glob;
  reincludes: boolean;
  folderOnly: boolean;
}

/** Where a folder stands with each rule. */
export type ExcludePlace = readonly GlobPositions[];

/**
 * What the input `sync-exclude` leaves out, by the rules that people know from .gitignore: a pattern without a slash (`node_modules`, `*.log`) matches
 * that name anywhere, one with a slash (`docs/api`, `/build`) is relative to the workspace, one that ends in a slash matches folders only, `**` is any
 * number of folders. `*`, `?` and `[...]` stay within one name, `{a,b}` either. `!` takes back in, and the last pattern that matches decides, but
 * nothing comes back beneath a folder that is left out. Empty patterns and those that begin with `#` are passed over.
 */
export class Excludes {
  readonly #rules: readonly Rule[];

  /** Throws `usage` when braces stand for too many patterns. */
  constructor(patterns: readonly string[]) {
    this.#rules = patterns
      .filter((pattern) => pattern !== '' && !pattern.startsWith('#'))
      .flatMap(expandBraces)
      .map(parseRule);
  }

  get root(): ExcludePlace {
    return this.#rules.map(({ glob }) => globStart(glob));
  }

  /** About the entry of this name in a folder at this place. */
  ask(place: ExcludePlace, name: string, isFolder: boolean): { excluded: boolean; place: ExcludePlace } {
    let excluded = false;
    const below = this.#rules.map((rule, index) => {
      const positions = globAdvance(rule.glob, place[index] ?? [], name);
      if (globIsMet(rule.glob, positions) && (isFolder || !rule.folderOnly)) excluded = !rule.reincludes;
      return positions;
    });
    return { excluded, place: below };
  }
}

function parseRule(pattern: string): Rule {
  const reincludes = pattern.startsWith('!');
  const text = reincludes ? pattern.slice(1) : pattern;
  const folderOnly = text.endsWith('/');
  const path = folderOnly ? text.slice(0, -1) : text;
  return { glob: parseGlob(path.includes('/') ? path : `**/${path}`), reincludes, folderOnly };
}
