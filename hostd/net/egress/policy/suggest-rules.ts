import type { EgressDenial } from '../../../contract/egress.ts';
import { isOffshootError } from '../../../errors/offshoot-error.ts';
import { networkContains, parseAddress, parseNetwork } from './address.ts';
import { closedRanges } from './closed-ranges.ts';
import { parseRules } from './parse-rules.ts';
import type { EgressRule } from './policy.ts';

type Denied = Pick<EgressDenial, 'reason' | 'name' | 'address' | 'port' | 'transport'>;

/**
 * The rules in force and those that would let through what was denied, as a list to paste. No rule comes of what is closed in every mode: to
 * open a private range is for the user to write. A name only asked of DNS is taken for HTTPS, unless a connection to it says more.
 */
export function suggestRules(inForce: readonly EgressRule[], denied: readonly Denied[]): string[] {
  const connected = new Set(denied.flatMap(({ name, port }) => (name !== null && port !== null ? [name] : [])));
  const wanted = denied.flatMap((entry) => {
    if (entry.port === null && entry.name !== null && connected.has(entry.name)) return [];
    return suggestion(entry) ?? [];
  });
  return [...new Set([...inForce.map(({ text }) => text), ...wanted.toSorted()])];
}

function suggestion({ reason, name, address, port, transport }: Denied): string | undefined {
  if (reason === 'private-range' || reason === 'rebind' || transport === 'icmp' || transport === 'other')
    return undefined;
  const target = name ?? bracketed(address);
  if (target === undefined || (name === null && port === null)) return undefined;
  const text = `${transport === 'udp' && port !== null ? 'udp:' : ''}${target}:${String(port ?? 443)}`;
  return asRule(text);
}

function bracketed(address: string | null): string | undefined {
  const parsed = address === null ? undefined : parseAddress(address);
  if (parsed === undefined || address === null) return undefined;
  return parsed.family === 4 ? address : `[${address}]`;
}

/** A guest may give a network or a wildcard for the name of a server, and so have a rule suggested that opens more than it asked for. */
function opensOnePlace(rule: EgressRule): boolean {
  if (rule.kind === 'name') return !rule.wildcard;
  const network = parseNetwork(rule.network);
  return (
    network?.prefixLength === rule.prefixLength &&
    !closedRanges.some((range) => networkContains(range.network, network))
  );
}

/** What a guest asked for need not be anything that a rule can name. */
function asRule(text: string): string | undefined {
  try {
    const [rule, ...others] = parseRules(text).rules;
    return rule !== undefined && others.length === 0 && opensOnePlace(rule) ? rule.text : undefined;
  } catch (error) {
    if (isOffshootError(error) && error.code === 'egress-rules-invalid') return undefined;
    throw error;
  }
}
