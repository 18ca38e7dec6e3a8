import {
  families,
  locationWords,
  names,
  neutralTails,
  ordinaryWords,
  riskySuffixes,
  riskyWords,
} from './refused-words.ts';

/**
 * True for what a guest may not set for the steps that follow on the runner, whose programs have tokens at hand: what decides which code they load or run, with
 * which arguments, whose servers they trust or talk to, or what actions take for the runner's word. Told by the kind of name, since every program has
 * variables of its own; a name too many stays in the sandbox, where it does no harm. Upper and lower case are one: many programs read both.
 * No such rule is complete, so steps after a sandbox with code nobody trusts should be in a sandbox too.
 */
export function isRefusedOnRunner(name: string): boolean {
  const upper = name.toUpperCase();
  if (names.has(upper) || /^(GO(?!AL)[A-Z0-9]+|CUSTOM(BEFORE|AFTER).*|[A-QS-Z][A-Z0-9]+RC)$/.test(upper)) return true;
  const words = upper.split(/[^A-Z0-9]+/).filter((word) => word !== '');
  if (words.some(isRisky) && !isOrdinaryLocation(words)) return true;
  return isOfFamily(words) && !neutralTails.has(words.at(-1) ?? '');
}

/** What the runner itself sets anew for each step (actions/runner: the contexts), so that no step and no later one in the sandbox sees another value. */
export function isSetByRunner(name: string): boolean {
  return /^(GITHUB_|RUNNER_)/i.test(name);
}

/** What the runner takes from no step's GITHUB_ENV (actions/runner: FileCommandManager.cs, its block list). */
export function isBlockedByRunner(name: string): boolean {
  return name.toUpperCase() === 'NODE_OPTIONS';
}

function isRisky(word: string): boolean {
  return riskyWords.has(word) || riskySuffixes.some((suffix) => word.endsWith(suffix));
}

/** As OUTPUT_DIR or IMAGE_PREFIX: a place or choice of the workflow itself, that no program is known to look for. */
function isOrdinaryLocation(words: readonly string[]): boolean {
  return locationWords.has(words.at(-1) ?? '') && words.slice(0, -1).every((word) => ordinaryWords.has(word));
}

/** The digits of LUA_INIT_5_4 or PERL5 are versions. */
function isOfFamily([first = '', ...rest]: readonly string[]): boolean {
  const family = first.replace(/[0-9]+$/, '');
  if (/^(PYTHON|RUBY|PERL|LUA|RUSTC|RUSTDOC|NPM|GOROOT|GOPATH|COMPLUS|CORECLR)/.test(family)) return true;
  return (rest.length > 0 || first !== family) && (families.has(first) || families.has(family));
}
