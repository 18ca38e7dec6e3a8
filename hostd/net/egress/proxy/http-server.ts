import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DenialReason } from '../policy/policy.ts';
import type { FlowTable } from './flow-table.ts';
import { HttpConnection } from './http-connection.ts';
import { asksForTunnel } from './http-request.ts';
import { printable } from './host-name.ts';
import type { ListenSpec } from './options.ts';

const maxDeadlineCheckMs = 1000;

/** Reads requests with node's parser, in its strict mode, and gives each guest's connection what comes on it. */
export function httpServer(table: FlowTable, spec: ListenSpec): Server {
  const { limits } = table;
  const connections = new WeakMap<Socket, HttpConnection>();
  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: false,
    maxHeaderSize: limits.bytesUntilName,
    headersTimeout: limits.nameDeadlineMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(maxDeadlineCheckMs, limits.nameDeadlineMs),
    noDelay: true,
    keepAlive: true,
    shouldUpgradeCallback: asksForTunnel,
  });
  server.timeout = limits.idleMs;
  // The size of a head is bounded; beyond a number node would leave headers out.
  server.maxHeadersCount = 0;
  // Ahead of node's own listener, so that a connection that is not admitted is gone before it is read.
  server.prependListener('connection', (guest: Socket) => {
    const flow = table.admit(guest, spec);
    if (flow !== undefined) connections.set(guest, new HttpConnection(table, flow));
  });
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    connections.get(request.socket)?.request(request, response);
  };
  server.on('request', serve);
  server.on('checkContinue', serve);
  server.on('upgrade', (request, _stream, head) => {
    connections.get(request.socket)?.upgrade(request, head);
  });
  server.on('connect', (request) => {
    connections.get(request.socket)?.reject('protocol', printable(request.url ?? ''));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const guest = stream as Socket;
    const reason = reasonOf(error.code ?? '');
    if (reason === undefined) guest.destroy();
    else connections.get(guest)?.reject(reason);
  });
  return server;
}

/** undefined for a guest that left in the middle, which is nothing to report. */
function reasonOf(code: string): DenialReason | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' || code === 'HPE_HEADER_OVERFLOW') return 'no-name';
  if (code === 'HPE_INVALID_EOF_STATE' || !code.startsWith('HPE_')) return undefined;
  return 'protocol';
}
