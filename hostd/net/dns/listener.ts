import type { Buffer } from 'node:buffer';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { InFlight } from './in-flight.ts';
import { FrameReader, framed } from './message.ts';

const connectionsPerClient = 16;
const connectionsInAll = 512;
/** On one connection; more are read when these are answered. */
const pipelinedQueries = 16;
const idleConnectionMs = 10_000;
/** Answers a client has not taken; beyond this it is cut off. */
const maxUnsentBytes = 256 * 1024;

export type DnsTransport = 'udp' | 'tcp';

/** The answer to one message; undefined: none, and a TCP connection is closed. Must not reject. */
export type AnswerDns = (client: string, transport: DnsTransport, message: Buffer) => Promise<Buffer | undefined>;

export interface DnsListenerOptions {
  address: string;
  port: number;
  answer: AnswerDns;
}

export interface DnsListener {
  close(): Promise<void>;
}

/** Takes DNS messages by UDP and TCP on this address and sends what `answer` makes of them. Throws `network-setup-failed` when the port is taken. */
export async function openDnsListener(options: DnsListenerOptions): Promise<DnsListener> {
  const listener = new Listener(options);
  await listener.listen();
  return listener;
}

class Listener implements DnsListener {
  readonly #options: DnsListenerOptions;
  readonly #connections = new InFlight(connectionsPerClient, connectionsInAll);
  readonly #open = new Set<Socket>();
  readonly #udp: UdpSocket = createSocket('udp4');
  readonly #tcp: Server = createServer((socket) => {
    this.#serve(socket);
  });

  constructor(options: DnsListenerOptions) {
    this.#options = options;
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
    const answer = await this.#options.answer(client, 'udp', bytes);
    if (answer === undefined) return;
    try {
      this.#udp.send(answer, clientPort, client);
    } catch {
      // closed meanwhile
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
    const answer = async (message: Buffer): Promise<void> => {
      unanswered += 1;
      if (unanswered >= pipelinedQueries) socket.pause();
      const bytes = await this.#options.answer(client, 'tcp', message);
      unanswered -= 1;
      if (socket.destroyed) return;
      if (bytes === undefined || socket.writableLength > maxUnsentBytes) {
        socket.destroy();
        return;
      }
      socket.write(framed(bytes));
      socket.resume();
    };
    socket.on('data', (chunk) => {
      for (const message of reader.push(chunk)) void answer(message);
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
