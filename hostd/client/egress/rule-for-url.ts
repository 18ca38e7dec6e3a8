import { isIPv4 } from 'node:net';

/** A rule for the host of an http or https URL, without user, password and path; undefined for other URLs and for text that is none. */
export function ruleForUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined || url.hostname === '') return undefined;
  const address = isIPv4(url.hostname) || url.hostname.startsWith('[');
  if (url.protocol === 'https:') {
    if (url.port === '') return `${url.hostname}:443`;
    return address ? `${url.hostname}:${url.port}` : `tls:${url.hostname}:${url.port}`;
  }
  if (url.protocol !== 'http:') return undefined;
  if (url.port === '') return `${url.hostname}:80`;
  return address ? `${url.hostname}:${url.port}` : `http:${url.hostname}:${url.port}`;
}

/** The name in a URL that has one; undefined for addresses. */
export function nameInUrl(text: string): string | undefined {
  const hostname = parseUrl(text)?.hostname;
  return hostname === undefined || hostname === '' || isIPv4(hostname) || hostname.startsWith('[')
    ? undefined
    : hostname;
}

/** True for what means another machine inside a sandbox than on this one. */
export function isOwnMachine(text: string): boolean {
  const hostname = parseUrl(text)?.hostname ?? '';
  return /^(?:.+\.)?localhost\.?$/.test(hostname) || hostname.startsWith('127.') || hostname === '[::1]';
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
