import type { IncomingMessage } from 'node:http';
import { OffshootError } from '../errors/offshoot-error.ts';
import { isLoopback, type ListenAddress } from './address.ts';

/**
 * Refuses what no program of this machine sends. On tcp a web page may reach the port through its reader's browser:
 * its requests carry an Origin, or a Host name that was made to point here.
 */
export function requestGuard(address: ListenAddress): (request: IncomingMessage) => void {
  return ({ headers, httpVersion }) => {
    if (headers.host === undefined && httpVersion === '1.1') throw refused('has no Host header');
    if (address.kind !== 'tcp') return;
    if (headers.origin !== undefined) throw refused('comes from a web page');
    if (!isLoopback(hostName(headers.host ?? ''))) throw refused('names a host that is not this machine');
  };
}

function hostName(header: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(header);
  return bracketed?.[1] ?? header.replace(/:\d+$/, '').toLowerCase();
}

function refused(why: string): OffshootError {
  return new OffshootError('invalid-request', {
    message: `The request ${why}.`,
    details: { in: 'headers', issues: [{ path: '', message: why }] },
  });
}
