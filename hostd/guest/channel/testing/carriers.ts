import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelAgent } from './model-agent.ts';

/** A folder of its own for sockets, removed on dispose. */
export function socketFolder(): { path: string; socketPath: string; [Symbol.dispose]: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'offshoot-channel-'));
  return {
    path,
    socketPath: join(path, 'agent.sock'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A unix socket server whose connections go to a test, the newest first served. */
export class CarrierServer {
  readonly sockets = new Set<Socket>();
  connections = 0;
  readonly #server: Server;

  constructor(onConnection: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      onConnection(socket);
    });
  }

  listen(socketPath: string): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(socketPath, resolve);
    });
  }

  /** Drops the connections; the server listens on. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** Serves a model agent as QEMU serves a port: one host at a time. */
export async function serveModel(agent: ModelAgent, socketPath: string): Promise<CarrierServer> {
  const server = new CarrierServer((socket) => {
    for (const other of server.sockets) if (other !== socket) other.destroy();
    agent.send = (bytes) => {
      if (!socket.destroyed) socket.write(bytes);
    };
    socket.on('data', (chunk) => agent.receive(chunk));
    socket.on('close', () => {
      if (server.sockets.size === 0) agent.carrierLost();
    });
  });
  await server.listen(socketPath);
  return server;
}

/** What a cut lets through on one connection before it drops the rest of both directions. */
export interface Cut {
  toGuestBytes: number;
  toHostBytes: number;
}

/** Forwards to another socket; the nth connection is cut at the nth cut, each direction at its own byte. Later ones are whole. */
export async function cuttingProxy(
  socketPath: string,
  targetPath: string,
  cuts: readonly Cut[],
): Promise<CarrierServer> {
  let connection = 0;
  const server = new CarrierServer((host) => {
    const cut = cuts[connection];
    connection += 1;
    const guest = createConnection(targetPath);
    guest.on('error', () => host.destroy());
    let cutting: NodeJS.Timeout | undefined;
    const forward = (from: Socket, to: Socket, bytes: number): void => {
      let left = bytes;
      from.on('data', (chunk) => {
        const passed = chunk.subarray(0, left);
        left -= passed.length;
        if (passed.length > 0 && !to.write(passed)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
        if (left > 0) return;
        cutting ??= setTimeout(() => {
          host.destroy();
          guest.end();
        }, 2);
      });
      from.on('close', () => to.end());
      to.on('close', () => from.destroy());
    };
    forward(host, guest, cut?.toGuestBytes ?? Infinity);
    forward(guest, host, cut?.toHostBytes ?? Infinity);
  });
  await server.listen(socketPath);
  return server;
}
