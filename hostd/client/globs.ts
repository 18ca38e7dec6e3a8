import { OffshootError } from '../errors/offshoot-error.ts';

const maxAlternatives = 256;

/** A pattern of path components, matched as the guest's agent matches them (hostd/guest/PROTOCOL.md, "Include rules"). */
export interface Glob {
  readonly components: readonly string[];
}

/** How far into a glob a path has come; none when nothing beneath can match any more. */
export type GlobPositions = readonly number[];

/** Empty components and `.` say nothing and are dropped. `**` at the end is what lies in a folder, not the folder itself. */
export function parseGlob(pattern: string): Glob {
  const components = pattern.split('/').filter((component) => component !== '' && component !== '.');
  return { components: components.at(-1) === '**' ? [...components, '*'] : components };
}

export function globStart(glob: Glob): GlobPositions {
  return closure(glob, 0);
}

/** One component further down a path. */
export function globAdvance(glob: Glob, from: GlobPositions, name: string): GlobPositions {
  const next = new Set<number>();
  for (const position of from) {
    const component = glob.components[position];
    if (component === undefined) continue;
    if (component === '**') for (const reached of closure(glob, position)) next.add(reached);
    else if (nameMatches(component, name)) for (const reached of closure(glob, position + 1)) next.add(reached);
  }
  return [...next];
}

/** True when the whole of the glob has been met by the path so far. */
export function globIsMet(glob: Glob, positions: GlobPositions): boolean {
  return positions.includes(glob.components.length);
}

/** True when the path, or a folder above it, matches. */
export function globCovers(glob: Glob, path: string): boolean {
  let positions = globStart(glob);
  if (globIsMet(glob, positions)) return true;
  for (const name of path.split('/')) {
    positions = globAdvance(glob, positions, name);
    if (globIsMet(glob, positions)) return true;
    if (positions.length === 0) return false;
  }
  return false;
}

/**
 * Whether a path is chosen by include globs: some pattern covers it, and none that begins with `!`, wherever that stands in the list.
 * Without any glob everything is chosen.
 */
export function chosenBy(include: readonly string[]): (path: string) => boolean {
  if (include.length === 0) return () => true;
  const positive = include.filter((glob) => !glob.startsWith('!')).map(parseGlob);
  const negative = include.filter((glob) => glob.startsWith('!')).map((glob) => parseGlob(glob.slice(1)));
  return (path) => positive.some((glob) => globCovers(glob, path)) && !negative.some((glob) => globCovers(glob, path));
}

/**
 * `{a,b}` written out, nested ones too; `\{` is a plain brace, and so is one without a comma or without an end.
 * Throws `usage` when more than 256 patterns come out.
 */
export function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else open.push(...group.alternatives.map((text) => group.before + text + group.after).reverse());
    if (done.length + open.length > maxAlternatives) {
      throw new OffshootError('usage', {
        message: `The glob ${JSON.stringify(pattern.slice(0, 200))} stands for more than ${String(maxAlternatives)} patterns.`,
        hint: 'Use * instead of long lists in braces.',
      });
    }
  }
  return done;
}

function closure(glob: Glob, position: number): number[] {
  const reached = [position];
  while (glob.components[position] === '**') reached.push((position += 1));
  return reached;
}

function firstGroup(text: string): { before: string; alternatives: string[]; after: string } | undefined {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] === '\\') start += 1;
    else if (text[start] === '{') {
      const group = groupAt(text, start);
      if (group !== undefined) return group;
    }
  }
  return undefined;
}

function groupAt(text: string, start: number): { before: string; alternatives: string[]; after: string } | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      alternatives.push(text.slice(from, at));
      from = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth > 0) continue;
      if (alternatives.length === 0) return undefined;
      alternatives.push(text.slice(from, at));
      return { before: text.slice(0, start), alternatives, after: text.slice(at + 1) };
    }
  }
  return undefined;
}

/** `*`, `?`, `[...]` and `\` within one name. Work is at most the product of both lengths, so that a hostile name costs nothing. */
function nameMatches(pattern: string, name: string): boolean {
  const wanted = [...pattern];
  const given = [...name];
  let at = 0;
  let position = 0;
  let star: { at: number; position: number } | undefined;
  while (position < given.length) {
    if (wanted[at] === '*') {
      at += 1;
      star = { at, position };
      continue;
    }
    const next = at < wanted.length ? matchOne(wanted, at, given[position]) : undefined;
    if (next !== undefined) {
      at = next;
      position += 1;
      continue;
    }
    // only the last star can have to take more: what an earlier one could, it can too
    if (star === undefined) return false;
    star.position += 1;
    ({ at, position } = star);
  }
  while (wanted[at] === '*') at += 1;
  return at === wanted.length;
}

/** Where the pattern goes on when this character matches, else undefined. */
function matchOne(wanted: readonly string[], at: number, character: string | undefined): number | undefined {
  if (wanted[at] === '?') return at + 1;
  const end = wanted[at] === '[' ? setEnd(wanted, at) : undefined;
  if (end !== undefined) return inSet(wanted.slice(at + 1, end - 1), character ?? '') ? end : undefined;
  const literal = wanted[at] === '\\' && at + 1 < wanted.length ? at + 1 : at;
  return wanted[literal] === character ? literal + 1 : undefined;
}

function setEnd(wanted: readonly string[], at: number): number | undefined {
  let next = at + 1;
  if (wanted[next] === '!' || wanted[next] === '^') next += 1;
  if (wanted[next] === ']') next += 1;
  for (; next < wanted.length; next += 1) {
    if (wanted[next] === ']') return next + 1;
    if (wanted[next] === '\\') next += 1;
  }
  return undefined;
}

function inSet(set: readonly string[], character: string): boolean {
  const negated = set[0] === '!' || set[0] === '^';
  const code = codeOf(character);
  let found = false;
  let at = negated ? 1 : 0;
  const take = (): number => {
    if (set[at] === '\\' && at + 1 < set.length) at += 1;
    at += 1;
    return codeOf(set[at - 1]);
  };
  while (at < set.length) {
    const low = take();
    let high = low;
    if (set[at] === '-' && at + 1 < set.length) {
      at += 1;
      high = take();
    }
    found ||= low <= code && code <= high;
  }
  return found !== negated;
}

function codeOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? -1;
}
