/** Header lines as node gives and takes them: name, value, name, value. */
export type RawHeaders = readonly string[];

/** They concern one connection only (RFC 9110 section 7.6.1), or are set anew for the next one. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
]);

/** A `Connection` header can't take these away. */
const neverNamed: ReadonlySet<string> = new Set(['content-length', 'expect', 'host', 'transfer-encoding']);

/** Whether a message has more lines than it may: then some may have been left out. */
export function hasMoreLines(raw: RawHeaders, most: number): boolean {
  return raw.length > 2 * most;
}

export function pairs(raw: RawHeaders): [name: string, value: string][] {
  return Array.from({ length: Math.floor(raw.length / 2) }, (_, index) => [
    raw[index * 2] ?? '',
    raw[index * 2 + 1] ?? '',
  ]);
}

export function valuesOf(raw: RawHeaders, name: string): string[] {
  return pairs(raw).flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
}

/** Comma-separated tokens over all lines of that name, in lower case. */
export function tokensOf(raw: RawHeaders, name: string): string[] {
  return valuesOf(raw, name)
    .flatMap((value) => value.split(','))
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}

/** What goes on to the other side, in order and case as it came, without what concerns this connection only. */
export function endToEnd(raw: RawHeaders, ...alsoDropped: string[]): string[] {
  const named = tokensOf(raw, 'connection').filter((token) => !neverNamed.has(token));
  const dropped = new Set([...hopByHop, ...named, ...alsoDropped]);
  return pairs(raw).flatMap(([name, value]) => (dropped.has(name.toLowerCase()) ? [] : [name, value]));
}
