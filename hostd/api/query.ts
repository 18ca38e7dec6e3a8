import { OffshootError } from '../errors/offshoot-error.ts';

/**
 * The query of a request target: a name given once is a string, given more often a list.
 * Unlike URLSearchParams it refuses broken percent-encoding instead of passing it on. Throws `invalid-request`.
 */
export function parseQuery(target: string): Record<string, unknown> {
  const start = target.indexOf('?');
  const values: Record<string, unknown> = {};
  if (start === -1) return values;
  for (const pair of target.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    const known = Object.hasOwn(values, name) ? values[name] : undefined;
    const next = known === undefined ? value : Array.isArray(known) ? [...(known as string[]), value] : [known, value];
    Object.defineProperty(values, name, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new OffshootError('invalid-request', {
      message: 'The query of the request has broken percent-encoding.',
      details: { in: 'query', issues: [{ path: '', message: 'must be percent-encoded UTF-8' }] },
    });
  }
}
