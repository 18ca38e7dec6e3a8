import type { IncomingMessage } from 'node:http';
import type { Destination } from './decision.ts';
import { printable, readAuthority, type Authority } from './host-name.ts';
import { endToEnd, hasMoreLines, tokensOf, valuesOf } from './http-headers.ts';

export type CheckedRequest =
  | { kind: 'request'; destination: Destination; path: string; headers: string[]; hasBody: boolean }
  | { kind: 'refused'; reason: 'host-header' | 'protocol' | 'no-name'; shown?: string | undefined };

const withoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/**
 * Where a request goes and how it is said again, in its plain form, to that server. node's parser has refused folded headers, bare CR and LF, bad
 * or several lengths, and a length beside a transfer coding before; here is refused what it lets pass. What is sent on is written anew from what was understood,
 * so that no second reading of the guest's bytes by the server can differ. `dialled` is where a request without a Host may go.
 */
export function checkRequest(
  request: IncomingMessage,
  forPort: number,
  mostLines: number,
  dialled?: string,
): CheckedRequest {
  const raw = request.rawHeaders;
  if (hasMoreLines(raw, mostLines)) return { kind: 'refused', reason: 'no-name' };
  const hosts = valuesOf(raw, 'host');
  const shown = hosts.length === 0 ? undefined : printable(hosts.join(','));
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0')
    return { kind: 'refused', reason: 'protocol', shown };
  const coding = valuesOf(raw, 'transfer-encoding');
  const lengths = valuesOf(raw, 'content-length');
  const chunked = coding.length > 0;
  if (chunked && (request.httpVersion === '1.0' || coding.length > 1 || coding[0]?.toLowerCase() !== 'chunked')) {
    return { kind: 'refused', reason: 'protocol', shown };
  }
  if (lengths.length > 1 || (lengths.length > 0 && chunked)) return { kind: 'refused', reason: 'protocol', shown };
  if (hosts.length > 1) return { kind: 'refused', reason: 'host-header', shown };
  const named = hosts[0]?.trim() ?? '';
  const nameless = named === '' ? ('no-name' as const) : undefined;
  const hostText = nameless === undefined ? named : (dialled ?? '');
  if (hostText === '') return { kind: 'refused', reason: 'no-name' };
  const host = readAuthority(hostText);
  if (host === undefined || !isFor(host, forPort)) return { kind: 'refused', reason: 'host-header', shown };
  const path = originForm(request.url ?? '', host, forPort);
  if (typeof path !== 'string') return { kind: 'refused', ...path };
  // Node refuses to announce trailers where none can come.
  const dropped = chunked ? [] : ['trailer'];
  const headers =
    nameless === undefined ? endToEnd(raw, ...dropped) : ['Host', hostText, ...endToEnd(raw, 'host', ...dropped)];
  const method = request.method ?? 'GET';
  // Else the request would go on with a transfer coding that it did not come with.
  if (!chunked && lengths.length === 0 && !withoutBody.has(method)) headers.push('Content-Length', '0');
  const hasBody = chunked || (lengths[0] !== undefined && Number(lengths[0]) > 0);
  const destination = { host: host.host, literal: host.literal, port: forPort, layer: 'http' as const, nameless };
  return { kind: 'request', destination, path, headers, hasBody };
}

/** Whether the request asks for another protocol that may pass as a tunnel. Not `h2c`: its further requests could name other hosts, so it is asked for in vain. */
export function asksForTunnel(request: IncomingMessage): boolean {
  const raw = request.rawHeaders;
  const protocols = tokensOf(raw, 'upgrade');
  if (protocols.length === 0 || !tokensOf(raw, 'connection').includes('upgrade')) return false;
  if (protocols.some((protocol) => protocol.startsWith('h2'))) return false;
  const length = valuesOf(raw, 'content-length')[0] ?? '0';
  return valuesOf(raw, 'transfer-encoding').length === 0 && Number(length) === 0;
}

function originForm(
  target: string,
  host: Authority,
  forPort: number,
): string | { reason: 'host-header' | 'protocol'; shown: string } {
  if (target.startsWith('/') || target === '*') return target;
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(target);
  const [, scheme, authorityText, rest] = match ?? [];
  if (scheme?.toLowerCase() !== 'http' || authorityText === undefined || rest === undefined) {
    return { reason: 'protocol', shown: printable(target) };
  }
  const authority = readAuthority(authorityText);
  if (authority?.host !== host.host || !isFor(authority, forPort)) {
    return { reason: 'host-header', shown: printable(authorityText) };
  }
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isFor(authority: Authority, port: number): boolean {
  return authority.port === undefined || authority.port === port;
}
