import { egressWords } from '../../../contract/egress-words.ts';
import { OffshootError } from '../../../errors/offshoot-error.ts';
import { formatRule } from './format-rule.ts';
import { parseRule } from './parse-rule.ts';
import type { EgressRule, Policy, PolicyMode } from './policy.ts';
import { isRefused } from './refused.ts';

/** The most rules that one policy has. */
export const maxRules = 2000;
/** The most ports of one policy that are read as TLS or HTTP besides 443 and 80: the proxy listens on each of them. */
export const maxReadPorts = 100;
/** No list that is right comes near to it; reading more would take the daemon seconds. */
const maxWords = 10 * maxRules;
/** The most refused rules that an error tells of. */
const maxIssues = 50;

interface Issue {
  /** The rule at fault, as it was written. */
  path: string;
  message: string;
}

/**
 * Reads rules: lines, folded or blank-separated lists, or texts one after the other, with `#` comments. Equal rules are merged.
 * Throws `egress-rules-invalid` with one issue for each rule that is refused, so that a list with a mistake is never taken in part.
 */
export function parseRules(text: string | readonly string[]): { rules: EgressRule[] } {
  const words = egressWords(text);
  const issues: Issue[] = [];
  const rules = new Map<string, EgressRule>();
  const layers = new Map<number, EgressRule>();
  for (const [index, word] of words.entries()) {
    if (rules.size > maxRules || words.length > maxWords) break;
    if (word === 'private') {
      const before = words[index - 1];
      if (before === undefined || before === 'private')
        issues.push({ path: word, message: 'follows no rule: write `host:port private`' });
      continue;
    }
    const parsed = parseRule(word, words[index + 1] === 'private');
    if (isRefused(parsed)) issues.push({ path: shown(word), message: printable(parsed.refused) });
    else for (const rule of parsed) add(rule);
  }
  if (rules.size > maxRules || words.length > maxWords) {
    issues.push({ path: '', message: `has too many rules: a policy has at most ${String(maxRules)}` });
  }
  const readPorts = [...layers.keys()].filter((port) => port !== 443 && port !== 80);
  if (readPorts.length > maxReadPorts) {
    issues.push({
      path: '',
      message: `has too many ports with \`tls:\` or \`http:\`: a policy has at most ${String(maxReadPorts)}`,
    });
  }
  if (issues.length > 0) throw rulesInvalid(issues);
  return { rules: [...rules.values()] };

  function add(rule: EgressRule): void {
    const conflict = layerConflict(rule, layers);
    if (conflict !== undefined) issues.push({ path: rule.text, message: conflict });
    const key = rule.kind === 'name' ? formatRule({ ...rule, allowPrivate: false }) : rule.text;
    const before = rules.get(key);
    const alreadyPrivate = before?.kind === 'name' && before.allowPrivate;
    if (!alreadyPrivate) rules.set(key, rule);
  }
}

/** A policy from what a client sends or a document holds. Throws `egress-rules-invalid`. */
export function parsePolicy(mode: PolicyMode, allow: string | readonly string[]): Policy {
  return { mode, rules: parseRules(allow).rules };
}

/** One listener takes all traffic to a port, so a policy reads a port in one way. */
function layerConflict(rule: EgressRule, layers: Map<number, EgressRule>): string | undefined {
  if (rule.kind !== 'name' || rule.layer === 'raw' || rule.port === 'any') return undefined;
  const first = layers.get(rule.port);
  if (first === undefined) layers.set(rule.port, rule);
  if (first === undefined || first.kind !== 'name' || first.layer === rule.layer) return undefined;
  return `reads port ${String(rule.port)} as ${rule.layer}, but \`${first.text}\` as ${first.layer}: a port is read in one way`;
}

function rulesInvalid(issues: readonly Issue[]): OffshootError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${String(issues.length - 1)} more)` : '';
  return new OffshootError('egress-rules-invalid', {
    message: `Egress rule ${first?.path === '' ? 'list' : `\`${first?.path ?? ''}\``} ${first?.message ?? ''}${more}`,
    details: { issues: issues.slice(0, maxIssues), refused: issues.length },
  });
}

/** As far as it can be shown: without what may be a password, and without characters that change how a terminal prints the rest. */
function shown(word: string): string {
  const safe = printable(word.replace(/^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?).*@/i, '$1***@'));
  return safe.length > 100 ? `${safe.slice(0, 99)}…` : safe;
}

function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
