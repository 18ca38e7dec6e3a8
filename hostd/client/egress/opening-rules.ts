import { isIPv4 } from 'node:net';
import type { EgressDenial, EgressReport } from '../../contract/egress.ts';
import { isMetadataAddress, isPrivateAddress, listOf } from './private-address.ts';

/** A denial of what is closed in every mode, and a rule that would open it. */
export interface OpeningRule {
  rule: string;
  denial: EgressDenial;
}

/**
 * Rules that open what is closed in every mode, each once: for the user to decide about, so none of them is in `suggestedAllow`. There is none
 * for metadata services, loopback and link-local addresses.
 */
export function openingRules({ denied, policy }: Pick<EgressReport, 'denied' | 'policy'>): OpeningRule[] {
  const byRule = new Map<string, OpeningRule>();
  for (const denial of denied) {
    for (const rule of rulesThatOpen(denial, policy.allow)) {
      if (!byRule.has(rule)) byRule.set(rule, { rule, denial });
    }
  }
  return [...byRule.values()];
}

/** The same for one denial; `allow` are the rules in force. */
export function rulesThatOpen(denial: EgressDenial, allow: readonly string[]): string[] {
  if (denial.reason === 'private-range') return byAddress(denial);
  return denial.reason === 'rebind' ? byName(denial, allow) : [];
}

const neverNamed = listOf(['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4']);
const resolverPort = 53;

function byAddress({ address, port, transport }: EgressDenial): string[] {
  if (address === null || !isIPv4(address) || isMetadataAddress(address) || neverNamed.check(address)) return [];
  if (port === null || port === 0 || port === resolverPort) return [];
  return [`${transport === 'udp' ? 'udp:' : ''}${address}:${String(port)}`];
}

/** The word `private` opens private networks alone. Where a rule has it and the name is refused, the address is one of the host, say. */
function byName(denial: EgressDenial, allow: readonly string[]): string[] {
  const { name, address, port } = denial;
  if (name === null || !isHostName(name)) return [];
  if (address !== null && (!isPrivateAddress(address) || !isIPv4(address) || isMetadataAddress(address))) return [];
  const ofName = allow.flatMap((rule) => nameRule(rule, name.toLowerCase()) ?? []);
  const ofPort = ofName.filter(({ ports }) => port === null || ports === '*' || ports === String(port));
  const open = ofPort.find(({ isPrivate }) => isPrivate);
  if (open !== undefined) return byAddress({ ...denial, port: port ?? (Number(open.ports) || 443) });
  if (ofPort.length === 0) return [`${name}:${String(port ?? 443)} private`];
  return [...new Set(ofPort.map(({ prefix, ports }) => `${prefix}${name}:${ports} private`))];
}

interface NameRule {
  prefix: string;
  ports: string;
  isPrivate: boolean;
}

/** A rule in force, `tls:*.example.com:5000 private`, where it is for this name. */
function nameRule(rule: string, name: string): NameRule | undefined {
  const [, prefix = '', host = '', ports = '', word] = /^([a-z]+:)?([^:]+):(\d+|\*)( private)?$/.exec(rule) ?? [];
  const fits = host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host;
  return fits ? { prefix, ports, isPrivate: word !== undefined } : undefined;
}

/** A guest chooses what it asks for: not everything is a name that a rule can have. */
function isHostName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(name)
  );
}
