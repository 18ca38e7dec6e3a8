import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DenialReason } from '../policy/policy.ts';
import { passByAddress } from './by-address.ts';
import { firstBytes } from './first-bytes.ts';
import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';
import { HttpConnection } from './http-connection.ts';
import { asksForTunnel } from './http-request.ts';
import { printable } from './host-name.ts';
import type { ListenSpec } from './options.ts';
import { keepAliveProbeMs } from './tunnel.ts';

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
    keepAliveInitialDelay: keepAliveProbeMs,
    shouldUpgradeCallback: asksForTunnel,
  });
  server.timeout = limits.idleMs;
  // Beyond that number node leaves lines out: of what has more, nothing passes.
  server.maxHeadersCount = limits.headerLines + 1;
  // Who has said all it has to say may end its side, and still gets its answers. node's types do not know of it.
  Object.assign(server, { httpAllowHalfOpen: true });
  const read = nodesReader(server);
  server.on('connection', (guest: Socket) => {
    const flow = table.admit(guest, spec);
    if (flow === undefined) return;
    connections.set(guest, new HttpConnection(table, flow));
    if (table.viewOf(flow)?.policy.mode === 'audit') void readIfHttp(table, flow, read);
    else read(guest);
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

/** Takes node's own listener off, so that it is for the caller to say which connections are read as HTTP, and when. */
function nodesReader(server: Server): (guest: Socket) => void {
  const [listener] = server.listeners('connection');
  if (listener === undefined) throw new Error('node reads connections in another way');
  server.removeAllListeners('connection');
  return (guest) => {
    listener.call(server, guest);
  };
}

/** What is open to everything is so to other protocols, too. */
async function readIfHttp(table: FlowTable, flow: Flow, read: (guest: Socket) => void): Promise<void> {
  const { guest } = flow;
  const first = await firstBytes(guest, table.limits.nameDeadlineMs);
  if (guest.destroyed) return;
  if (first.kind === 'http') {
    read(guest);
    guest.resume();
    return;
  }
  if (first.kind === 'other') {
    const reason = first.taken.length === 0 ? 'no-name' : 'protocol';
    if (await passByAddress(table, flow, reason, first.taken)) return;
    table.denied(flow, reason);
  }
  guest.resetAndDestroy();
}

/** undefined for a guest that left in the middle, which is nothing to report. */
function reasonOf(code: string): DenialReason | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' || code === 'HPE_HEADER_OVERFLOW') return 'no-name';
  if (code === 'HPE_INVALID_EOF_STATE' || !code.startsWith('HPE_')) return undefined;
  return 'protocol';
}
