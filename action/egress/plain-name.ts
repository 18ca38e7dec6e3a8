import type { EgressEntry } from '../../hostd/contract/egress.ts';

/** What names of hosts, addresses and rules are written with; none of these means anything to Markdown inside of a code span. */
const others = /[^A-Za-z0-9._:*/[\]-]/g;
const longest = 100;

/** A name that a guest may have chosen, for log, annotation and summary: other characters become `?`, and what is long is cut. */
export function plainName(name: string): string {
  const plain = name.replaceAll(others, '?');
  if (plain.length <= longest) return plain === '' ? '?' : plain;
  return `${plain.slice(0, longest)}...`;
}

/** Where something went, in one word: `example.com:443`, `udp:[2001:db8::1]:53`, `icmp:192.0.2.1`; `example.com` when DNS was asked for it. */
export function placeOf({ name, address, port, transport }: EgressEntry): string {
  const host = name ?? (address?.includes(':') === true ? `[${address}]` : (address ?? 'unknown'));
  const asked = port === null && transport === 'udp';
  const prefix = transport === 'tcp' || asked ? '' : `${transport}:`;
  return `${prefix}${plainName(host)}${port === null ? '' : `:${String(port)}`}`;
}
