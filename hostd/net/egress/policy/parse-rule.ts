import { isIPv6 } from 'node:net';
import { formatAddress, type Network } from './address.ts';
import { formatRule } from './format-rule.ts';
import type { AddressRule, EgressRule, NameRule } from './policy.ts';
import { isRefused, refused, type Refused } from './refused.ts';
import { parseRuleName } from './rule-name.ts';
import { parseRuleNetwork } from './rule-network.ts';
import { parsePorts } from './rule-ports.ts';
import { refuseShape } from './rule-shape.ts';

type Prefix = 'udp' | 'tls' | 'http';

interface Parts {
  prefix: Prefix | undefined;
  /** Without brackets. */
  host: string;
  bracketed: boolean;
  ports: string | undefined;
}

/** Reads one word of a list; several ports make several rules. `allowPrivate`: the word `private` follows. */
export function parseRule(word: string, allowPrivate: boolean): EgressRule[] | Refused {
  const parts = refuseShape(word) ?? splitRule(word);
  if (isRefused(parts)) return parts;
  const ports = portsOf(parts);
  if (isRefused(ports)) return ports;
  const network = parseRuleNetwork(parts);
  if (network !== undefined) {
    return isRefused(network) ? network : addressRules(network, ports, parts.prefix, allowPrivate);
  }
  if (parts.host.includes('/')) {
    return refused(`has a path, and a rule opens a whole host: write \`${parts.host.replace(/\/.*$/, '')}\``);
  }
  const name = parseRuleName(parts.host, allowPrivate);
  if (isRefused(name)) return name;
  return ports.map((port) => {
    const rule = {
      kind: 'name',
      ...name,
      port,
      transport: transportOf(parts.prefix),
      layer: layerOf(parts.prefix, port),
      allowPrivate,
    } as const;
    return { ...rule, text: formatRule(rule) } satisfies NameRule;
  });
}

function splitRule(word: string): Parts | Refused {
  const [, prefixText, rest = word] = /^(udp|tls|http):(.*)$/i.exec(word) ?? [];
  const prefix = prefixText === undefined ? undefined : prefixFrom(prefixText);
  const brackets = /^\[([^\]]*)\](\/[^:]*)?(?::(.*))?$/.exec(rest);
  if (brackets !== null) {
    const [, inside = '', length = '', ports] = brackets;
    return { prefix, host: `${inside}${length}`, bracketed: true, ports };
  }
  if (rest.includes('[') || rest.includes(']')) {
    return refused('has brackets that do not enclose one IPv6 address: write `[2001:db8::1]:443`');
  }
  const colons = rest.split(':').length - 1;
  if (colons > 1) return refuseColons(rest);
  const [host = '', ports] = rest.split(':');
  if (prefix !== undefined && host !== '' && ports === undefined && /^\d+(,\d+)*$/.test(host)) {
    return refused(`names no host: write \`${prefix}:HOST:${host}\``);
  }
  if (/^(udp|tls|http|auto)\.?$/i.test(host)) {
    return refused('is a prefix where a host is meant: write a host of this name with its domain');
  }
  return { prefix, host, bracketed: false, ports };
}

function refuseColons(rest: string): Refused {
  const [address = '', length] = rest.split('/');
  if (isIPv6(address)) {
    const instead = `[${address}]${length === undefined ? '' : `/${length}`}:443`;
    // where that is refused, too, its reason is the one that helps
    const read = parseRule(instead, false);
    return isRefused(read) ? read : refused(`is an IPv6 address without brackets: write \`${instead}\``);
  }
  const [first = '', second = '', ...others] = rest.split(':');
  if (/^tcp$/i.test(first))
    return refused(`has the prefix \`tcp:\`, which goes without saying: write \`${[second, ...others].join(':')}\``);
  if (/^https$/i.test(first))
    return refused(`has the prefix \`https:\`: write \`tls:${[second, ...others].join(':')}\``);
  return refused('has too many `:`: write `host:port`, with `udp:`, `tls:` or `http:` in front, and IPv6 in brackets');
}

function prefixFrom(text: string): Prefix {
  const lower = text.toLowerCase();
  return lower === 'udp' || lower === 'tls' ? lower : 'http';
}

function portsOf({ prefix, ports: text }: Parts): readonly (number | 'any')[] | Refused {
  if (text === undefined && prefix === 'udp') return refused('has no port: write it, as in `udp:ntp.example.org:123`');
  if (text === undefined) return [prefix === 'http' ? 80 : 443];
  const ports = parsePorts(text);
  if (isRefused(ports) || prefix === undefined || prefix === 'udp') return ports;
  if (ports.includes('any')) return refused(`can not read every port as ${prefix}: write the ports`);
  if (prefix === 'http' && ports.includes(443))
    return refused('has port 443, which is always read as TLS: leave out `http:`');
  if (prefix === 'tls' && ports.includes(80))
    return refused('has port 80, which is always read as HTTP: leave out `tls:`');
  return ports;
}

function addressRules(
  network: Network,
  ports: readonly (number | 'any')[],
  prefix: Prefix | undefined,
  allowPrivate: boolean,
): AddressRule[] | Refused {
  if (prefix === 'tls' || prefix === 'http') {
    return refused(`names an address, where there is no name to check: leave out \`${prefix}:\``);
  }
  if (allowPrivate)
    return refused('is an address, which `private` does not go with: a rule in a private network opens it as it is');
  const { family, base, prefixLength } = network;
  const transport = transportOf(prefix);
  return ports.map((port) => {
    const rule = {
      kind: 'address',
      family,
      network: formatAddress({ family, value: base }),
      prefixLength,
      port,
      transport,
    } as const;
    return { ...rule, text: formatRule(rule) } satisfies AddressRule;
  });
}

function transportOf(prefix: Prefix | undefined): 'tcp' | 'udp' {
  return prefix === 'udp' ? 'udp' : 'tcp';
}

function layerOf(prefix: Prefix | undefined, port: number | 'any'): NameRule['layer'] {
  if (prefix === 'udp') return 'raw';
  if (prefix !== undefined) return prefix;
  if (port === 443) return 'tls';
  return port === 80 ? 'http' : 'raw';
}
