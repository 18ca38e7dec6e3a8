import { addressBits, parseAddress } from './address.ts';
import { isMetadataAddress } from './closed-ranges.ts';
import type { AddressRule, EgressRule, NameRule } from './policy.ts';

type Untexted<Rule> = Omit<Rule, 'text'>;

/** The rule as a user would write it; `parseRules` reads it back to an equal rule. */
export function formatRule(rule: Untexted<NameRule> | Untexted<AddressRule>): string {
  const port = rule.port === 'any' ? '*' : String(rule.port);
  const udp = rule.transport === 'udp' ? 'udp:' : '';
  if (rule.kind === 'address') return `${udp}${formatNetwork(rule)}:${port}`;
  const name = `${rule.wildcard ? '*.' : ''}${rule.name}`;
  return `${udp}${layerPrefix(rule)}${name}:${port}${rule.allowPrivate ? ' private' : ''}`;
}

/** One rule a line, ready to be pasted. */
export function formatRules(rules: readonly EgressRule[]): string {
  return rules.map((rule) => `${formatRule(rule)}\n`).join('');
}

function layerPrefix({ layer, port }: Untexted<NameRule>): string {
  return layer === 'raw' || port === 443 || port === 80 ? '' : `${layer}:`;
}

/** A single address stands without its prefix length; metadata services have to be spelled out. */
function formatNetwork({ family, network, prefixLength }: Untexted<AddressRule>): string {
  const address = family === 4 ? network : `[${network}]`;
  const parsed = parseAddress(network);
  const single = prefixLength === addressBits(family) && parsed !== undefined && !isMetadataAddress(parsed);
  return single ? address : `${address}/${String(prefixLength)}`;
}
