import type { Buffer } from 'node:buffer';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Upstream } from '../config.ts';
import { exchangeOverTcp, exchangeOverUdp } from './exchange.ts';
import { InFlight } from './in-flight.ts';
import { failureResponse, FrameReader, framed, parseQuery, rcodes, type DnsQuery } from './message.ts';
import { ResolvConf } from './resolv-conf.ts';
import { UpstreamResolver } from './resolver.ts';

const queriesPerClient = 64;
const queriesInAll = 1024;
const connectionsPerClient = 16;
const connectionsInAll = 512;
/** On one connection; more are read when these are answered. */
const pipelinedQueries = 16;
const idleConnectionMs = 10_000;
/** Answers a client has not taken; beyond this it is cut off. */
const maxUnsentBytes = 256 * 1024;

export interface DnsForwarderOptions {
  address: string;
  port: number;
  resolvConf: string;
  /** Asked instead of the servers in resolvConf. */
  upstreams?: readonly Upstream[];
}

export interface DnsForwarder {
  close(): Promise<void>;
}

/** Answers DNS on this address by asking the host's own servers, over UDP what came by UDP and over TCP what came by TCP. Throws `network-setup-failed` when the port is taken. */
export async function openDnsForwarder(options: DnsForwarderOptions): Promise<DnsForwarder> {
  const forwarder = new Forwarder(options);
  await forwarder.listen();
  return forwarder;
}

class Forwarder implements DnsForwarder {
  readonly #options: DnsForwarderOptions;
  readonly #resolver: UpstreamResolver;
  readonly #queries = new InFlight(queriesPerClient, queriesInAll);
  readonly #connections = new InFlight(connectionsPerClient, connectionsInAll);
  readonly #open = new Set<Socket>();
  readonly #udp: UdpSocket = createSocket('udp4');
  readonly #tcp: Server = createServer((socket) => {
    this.#serve(socket);
  });

  constructor(options: DnsForwarderOptions) {
    this.#options = options;
    const resolvConf = new ResolvConf(options.resolvConf, systemClock);
    const servers = async (): Promise<readonly Upstream[]> => options.upstreams ?? (await resolvConf.current());
    // Asking ourselves would go round for ever.
    this.#resolver = new UpstreamResolver(
      async () => (await servers()).filter((one) => one.address !== options.address || one.port !== options.port),
      systemClock,
    );
    this.#udp.on('message', (bytes, sender) => {
      void this.#answerDatagram(bytes, sender.address, sender.port);
    });
  }

  async listen(): Promise<void> {
    const { address, port } = this.#options;
    try {
      this.#udp.bind({ address, port, exclusive: true });
      await once(this.#udp, 'listening');
      this.#tcp.listen({ host: address, port, exclusive: true });
      await once(this.#tcp, 'listening');
    } catch (cause) {
      await this.close();
      throw listenError(cause, address, port);
    }
    // Errors of single packets, for example an answer to a sandbox that is gone, concern no one else.
    this.#udp.on('error', () => undefined);
    this.#tcp.on('error', () => undefined);
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await Promise.all([
      new Promise<void>((resolve) => {
        try {
          this.#udp.close(resolve);
        } catch {
          resolve(); // never was open
        }
      }),
      new Promise<void>((resolve) => {
        this.#tcp.close(() => {
          resolve();
        });
      }),
    ]);
  }

  async #answerDatagram(bytes: Buffer, client: string, clientPort: number): Promise<void> {
    const query = parseQuery(bytes);
    if (query === undefined) return;
    const answer = await this.#answer(query, client, exchangeOverUdp);
    try {
      this.#udp.send(answer, clientPort, client);
    } catch {
      // closed meanwhile
    }
  }

  async #answer(query: DnsQuery, client: string, exchange: typeof exchangeOverUdp): Promise<Buffer> {
    if (!this.#queries.enter(client)) return failureResponse(query, rcodes.serverFailure);
    try {
      return await this.#resolver.resolve(query, exchange);
    } finally {
      this.#queries.leave(client);
    }
  }

  #serve(socket: Socket): void {
    const client = socket.remoteAddress ?? '';
    if (!this.#connections.enter(client)) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    const reader = new FrameReader();
    socket.setTimeout(idleConnectionMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#open.delete(socket);
      this.#connections.leave(client);
    });
    let unanswered = 0;
    const answer = async (query: DnsQuery): Promise<void> => {
      unanswered += 1;
      if (unanswered >= pipelinedQueries) socket.pause();
      const bytes = await this.#answer(query, client, exchangeOverTcp);
      unanswered -= 1;
      if (socket.destroyed) return;
      if (socket.writableLength > maxUnsentBytes) socket.destroy();
      else socket.write(framed(bytes));
      socket.resume();
    };
    socket.on('data', (chunk) => {
      const queries = reader.push(chunk).map(parseQuery);
      if (queries.includes(undefined)) socket.destroy();
      else for (const query of queries.flatMap((one) => one ?? [])) void answer(query);
    });
  }
}

function listenError(cause: unknown, address: string, port: number): OffshootError {
  const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
  return new OffshootError('network-setup-failed', {
    message: isTaken
      ? `Another program answers DNS on ${address}:${String(port)}.`
      : `DNS can't be answered on ${address}:${String(port)}: ${String(cause)}`,
    ...(isTaken ? { hint: 'Keep it off that address, or configure another network.dnsPort.' } : {}),
    cause,
  });
}
