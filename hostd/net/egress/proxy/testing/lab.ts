import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { parsePolicy } from '../../policy/parse-rules.ts';
import type { PolicyMode, PolicyView } from '../../policy/policy.ts';
import type { ListenSpec, Proxy, ProxyEntry, ProxyLimits, ProxyListener } from '../options.ts';
import { startProxy } from '../start-proxy.ts';

/** Addresses of the pretended outside. They look public, and nothing is ever sent to them: the lab's dial knows which local server each one is. */
export const addresses = { good: '9.9.9.1', other: '9.9.9.2', evil: '9.9.9.3', dead: '9.9.9.9' } as const;

/** A proxy whose outside is made of servers on this machine. */
export class Lab {
  readonly entries: ProxyEntry[] = [];
  /** `address:port` of every dial, in order. */
  readonly dialled: string[] = [];
  readonly zone = new Map<string, readonly string[]>();
  /** What guests dialled, if that is known. */
  dialledByGuests: string | undefined;
  /** Where guests come from, and whose they are. */
  readonly sandboxes = new Map([['127.0.0.1', 'sbx_one']]);
  readonly #servers = new Map<string, number>();
  readonly #cleanups: (() => unknown)[] = [];
  #view: PolicyView = viewOf('enforce', []);
  #proxy: Proxy | undefined;
  beforeDial: (address: string) => Promise<void> = () => Promise.resolve();
  beforeResolve: () => Promise<void> = () => Promise.resolve();

  static async open(allow: string | readonly string[], limits: Partial<ProxyLimits> = {}): Promise<Lab> {
    const lab = new Lab();
    lab.setPolicy('enforce', allow);
    lab.#proxy = await startProxy({
      viewOf: (source) => {
        const sandboxId = lab.sandboxes.get(source);
        return sandboxId === undefined ? undefined : { sandboxId, view: lab.#view };
      },
      resolve: async (_, name) => {
        await lab.beforeResolve();
        const found = lab.zone.get(name);
        if (found === undefined) throw new Error(`no such name: ${name}`);
        return found;
      },
      dialledAddress: () => Promise.resolve(lab.dialledByGuests),
      dial: (address, port, signal) => lab.#dial(address, port, signal),
      record: (entry) => lab.entries.push(entry),
      limits: { lingerMs: 200, ...limits },
    });
    return lab;
  }

  get proxy(): Proxy {
    if (this.#proxy === undefined) throw new Error('the lab is not open');
    return this.#proxy;
  }

  setPolicy(mode: PolicyMode, allow: string | readonly string[]): void {
    this.#view = viewOf(mode, allow);
  }

  async listen(layer: ListenSpec['layer'], forPort = layer === 'tls' ? 443 : 80): Promise<ProxyListener> {
    return await this.proxy.listen({ address: '127.0.0.1', port: 0, forPort, layer });
  }

  /** This server is now what answers at that address and port of the outside. */
  async serve(address: string, port: number, server: Server): Promise<void> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    this.#servers.set(`${address}:${String(port)}`, typeof bound === 'object' ? (bound?.port ?? 0) : 0);
    const open = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    });
    this.#cleanups.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
  }

  /** A connection of a guest to a listener; a reset may come before it is open. */
  connect(listener: ProxyListener, localAddress = '127.0.0.1'): Socket {
    const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    socket.on('error', () => undefined);
    this.#cleanups.push(() => socket.destroy());
    return socket;
  }

  /** Outcome and reason of every decision, short. */
  outcomes(): string[] {
    return this.entries.map(({ outcome, reason, failure, name, address }) =>
      [outcome, reason ?? failure, name, address].filter((part) => part !== undefined).join(' '),
    );
  }

  async close(): Promise<void> {
    await this.#proxy?.close();
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }

  async #dial(address: string, port: number, signal: AbortSignal): Promise<Socket> {
    this.dialled.push(`${address}:${String(port)}`);
    await this.beforeDial(address);
    signal.throwIfAborted();
    const local = this.#servers.get(`${address}:${String(port)}`);
    if (local === undefined) throw new Error(`nothing answers at ${address}:${String(port)}`);
    const socket = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true });
    this.#cleanups.push(() => socket.destroy());
    await once(socket, 'connect', { signal });
    return socket;
  }
}

function viewOf(mode: PolicyMode, allow: string | readonly string[]): PolicyView {
  return compilePolicy(parsePolicy(mode, allow), { own: ['10.84.0.0/16'] });
}

/** Sends everything back that it gets. */
export function echoServer(): Server {
  return createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
}

export interface Ending {
  bytes: Buffer;
  /** By a reset, not by an end. */
  reset: boolean;
}

/** Everything that still comes on a connection, and how it ends. */
export function untilClosed(socket: Socket): Promise<Ending> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let reset = false;
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reset = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    });
    socket.on('end', () => socket.end());
    socket.once('close', () => {
      resolve({ bytes: Buffer.concat(chunks), reset });
    });
  });
}
