import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { bufferBytes } from './dial.ts';
import { FlowTable } from './flow-table.ts';
import { httpServer } from './http-server.ts';
import {
  defaultLimits,
  type ListenSpec,
  type Proxy,
  type ProxyListener,
  type ProxyOptions,
  type UsageRow,
} from './options.ts';
import { serveTls } from './tls-connection.ts';

/**
 * A transparent proxy for TLS and HTTP/1.1: it reads the name that a guest asks for, checks it against the sandbox's policy, resolves and dials it itself.
 * What address the guest picked does not matter. Without a listener it does nothing; see `listen`.
 *
 * In audit mode it passes what rules do not name and says so. A connection without a name goes to the address that the guest picked then; else it is denied.
 */
export function startProxy(options: ProxyOptions): Promise<Proxy> {
  return Promise.resolve(new TransparentProxy(options));
}

class TransparentProxy implements Proxy {
  readonly #table: FlowTable;
  readonly #servers = new Set<Server>();

  constructor(options: ProxyOptions) {
    this.#table = new FlowTable(options, { ...defaultLimits, ...options.limits });
  }

  async listen(spec: ListenSpec): Promise<ProxyListener> {
    const server = spec.layer === 'http' ? httpServer(this.#table, spec) : tlsServer(this.#table, spec);
    server.listen({ host: spec.address, port: spec.port, exclusive: true });
    await once(server, 'listening');
    // Of single connections that could not be accepted; the listener goes on.
    server.on('error', () => undefined);
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : spec.port;
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
    return {
      address: spec.address,
      port,
      close: () => {
        server.close();
      },
    };
  }

  enforceAgain(): number {
    return this.#table.enforceAgain();
  }

  usage(): UsageRow[] {
    return this.#table.usage.rows();
  }

  forget(sandboxId: string): void {
    this.#table.forget(sandboxId);
  }

  async close(): Promise<void> {
    const closed = [...this.#servers].map((server) => once(server, 'close'));
    for (const server of this.#servers) server.close();
    this.#table.cutAll();
    await Promise.all(closed);
  }
}

function tlsServer(table: FlowTable, spec: ListenSpec): Server {
  return createServer({ allowHalfOpen: true, highWaterMark: bufferBytes }, (guest) => {
    const flow = table.admit(guest, spec);
    if (flow !== undefined) serveTls(table, flow);
  });
}
