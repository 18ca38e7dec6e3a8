import { isIPv4, isIPv6 } from 'node:net';

/** Underscores are no host names by the letter (RFC 1123), but names with them are served; rules decide about them. */
const label = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/;
/** Programs read names that end so as IPv4 addresses in decimal, octal or hex (WHATWG URL, "ends in a number"). */
const numericLabel = /^(\d+|0[xX][0-9a-fA-F]*)$/;
const maxNameLength = 253;

/** The name as rules have it - lower case, no trailing dot - or undefined when the text is no host name in A-label form. */
export function readHostName(text: string): string | undefined {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  if (name.length === 0 || name.length > maxNameLength) return undefined;
  const labels = name.split('.');
  if (!labels.every((one) => label.test(one))) return undefined;
  if (numericLabel.test(labels.at(-1) ?? '')) return undefined;
  return name.toLowerCase();
}

export interface Authority {
  host: string;
  /** The host is an address, not a name. */
  literal: boolean;
  port: number | undefined;
}

/** Reads `host`, `host:port`, `a.b.c.d:port`, `[v6]:port`; undefined for anything else, user names and zone ids included. */
export function readAuthority(text: string): Authority | undefined {
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1];
  if (host === undefined) return undefined;
  const port = match?.[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  if (host.startsWith('[')) {
    const address = host.slice(1, -1);
    return isIPv6(address) && !address.includes('%') ? { host: address.toLowerCase(), literal: true, port } : undefined;
  }
  if (isIPv4(host)) return { host, literal: true, port };
  const name = readHostName(host);
  return name === undefined ? undefined : { host: name, literal: false, port };
}

const maxShownLength = 128;

/** Text a guest chose, fit for a log: what is not printable ASCII becomes `?`. */
export function printable(text: string): string {
  return text.slice(0, maxShownLength).replace(/[^\x21-\x7e]/g, '?');
}
