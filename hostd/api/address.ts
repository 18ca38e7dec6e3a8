import { isIP } from 'node:net';
import { OffshootError } from '../errors/offshoot-error.ts';

/** Where hostd listens, or a client connects. */
export type ListenAddress = { kind: 'unix'; path: string } | { kind: 'tcp'; host: string; port: number };

const maxUnixPathBytes = 107; // sun_path of Linux, less its NUL

/** Reads `unix:PATH`, an absolute path, or `tcp:HOST:PORT`. Without tokens only loopback addresses are taken. Throws `config-invalid`. */
export function parseListenAddress(text: string): ListenAddress {
  if (text.startsWith('tcp:')) return parseTcp(text.slice(4));
  const path = text.startsWith('unix:') ? text.slice(5) : text;
  if (!path.startsWith('/')) throw invalid('must be unix:/absolute/path or tcp:HOST:PORT');
  if (path.includes('\0')) throw invalid('must not contain NUL');
  if (Buffer.byteLength(path) > maxUnixPathBytes)
    throw invalid(`is longer than the ${String(maxUnixPathBytes)} bytes Linux allows for a socket path`);
  return { kind: 'unix', path };
}

export function formatAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  const host = isIP(address.host) === 6 ? `[${address.host}]` : address.host;
  return `tcp:${host}:${String(address.port)}`;
}

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === '::1' || host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.'));
}

function parseTcp(text: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) throw invalid('must be tcp:HOST:PORT, with IPv6 addresses in brackets');
  if (!isLoopback(host))
    throw invalid(
      'this version has no tokens yet, so it listens on loopback addresses only: 127.0.0.1, [::1] or localhost',
    );
  return { kind: 'tcp', host, port };
}

function invalid(message: string): OffshootError {
  return new OffshootError('config-invalid', {
    message: `listen: ${message}.`,
    details: { issues: [{ path: 'listen', message }] },
  });
}
