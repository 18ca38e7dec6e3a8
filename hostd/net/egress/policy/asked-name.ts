const label = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

/**
 * A host name as it came in a query, a ClientHello or a Host header, in the form that rules have: lower case, without the trailing dot.
 * Undefined for what no host is called: empty or long labels, other characters than letters, digits, - and _, and names that end in a
 * number, which many programs take for an IPv4 address (WHATWG URL).
 */
export function askedName(text: string): string | undefined {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (bare.length === 0 || bare.length > 253) return undefined;
  const labels = bare.split('.');
  if (!labels.every((part) => label.test(part))) return undefined;
  if (/^(\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? '')) return undefined;
  return bare.toLowerCase();
}
