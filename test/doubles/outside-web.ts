import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { z } from 'zod';

/**
 * A web server of the pretended internet at one address. `/who` says which server answers, for which name and in which version of HTTP;
 * `/bytes/N` sends N bytes, `/drip/N` N times 64 bytes with a rest between; a POST is answered with the number of bytes that came; an upgrade
 * makes it a WebSocket that sends back each short text.
 */
export const webSpecSchema = z.object({
  /** PEM, of the servers with TLS: HTTP/2 and 1.1. */
  tls: z.object({ key: z.string(), cert: z.string() }),
  httpsPorts: z.array(z.number()).default([443]),
  httpPorts: z.array(z.number()).default([80]),
  dripEveryMs: z.number().default(15),
});

export type WebSpec = z.output<typeof webSpecSchema>;

/** `tcp`: a connection; the others: a request. */
export interface WebArrival {
  protocol: 'tcp' | 'http' | 'https';
  name?: string;
  socket: Socket;
  port: number;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const dripBytes = 64;

export async function serveWeb(address: string, spec: WebSpec, report: (arrival: WebArrival) => void): Promise<void> {
  const answer = (port: number) => (request: Request, response: Response) => {
    const name = nameOf(request);
    report({ protocol: isTls(request) ? 'https' : 'http', name, socket: request.socket, port });
    const who = `${address}:${String(port)} ${name} ${request.httpVersion}`;
    // who leaves in the middle of a request, or asks for what there is not, loses only that connection
    respond(request, response, who, spec.dripEveryMs).catch(() => request.socket.destroy());
  };
  const servers = [
    ...spec.httpsPorts.map((port) => ({
      port,
      server: createSecureServer({ ...spec.tls, allowHTTP1: true }, answer(port)),
    })),
    ...spec.httpPorts.map((port) => ({ port, server: createServer(answer(port)) })),
  ];
  await Promise.all(
    servers.map(async ({ port, server }) => {
      // A guest may be slow, or be told to say nothing for a while.
      Object.assign(server, { headersTimeout: 0, requestTimeout: 0 });
      server.on('connection', (socket: Socket) => {
        socket.on('error', () => socket.destroy());
        report({ protocol: 'tcp', socket, port });
      });
      server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
        report({ protocol: isTls(request) ? 'https' : 'http', name: nameOf(request), socket, port });
        echoTexts(request, socket);
      });
      server.listen({ host: address, port, backlog: 512 });
      await once(server, 'listening');
    }),
  );
}

const isTls = ({ socket }: Request): boolean => socket instanceof TLSSocket || 'servername' in socket;

/** What TLS was asked for, or the Host header. */
function nameOf(request: Request): string {
  const { socket } = request;
  const serverName: unknown = 'servername' in socket ? socket.servername : undefined;
  return typeof serverName === 'string' ? serverName : (request.headers.host ?? '');
}

async function respond(request: Request, response: Response, who: string, dripEveryMs: number): Promise<void> {
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const [, what, amount = '0'] = (request.url ?? '').split('/');
  if (request.method === 'POST') {
    let received = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) received += chunk.length;
    response.end(`received ${String(received)}`);
    return;
  }
  if (what === 'bytes') response.end(Buffer.alloc(Number(amount), 'x'));
  else if (what === 'drip') drip(response, Number(amount), dripEveryMs);
  else response.end(who);
}

function drip(response: Response, times: number, everyMs: number): void {
  const portion = Buffer.alloc(dripBytes, 'x');
  const body: NodeJS.WritableStream = response;
  response.setHeader('Content-Length', String(times * dripBytes));
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    if (sent < times) body.write(portion);
    else body.end(portion);
  }, everyMs);
  for (const event of ['close', 'finish']) body.on(event, () => clearInterval(timer));
}

/** Of RFC 6455 only what tests send: masked texts of less than 126 bytes. */
function echoTexts(request: IncomingMessage, socket: Socket): void {
  const key = request.headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.on('error', () => socket.destroy());
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 6) {
      const length = rest.readUInt8(1) & 0x7f;
      if (rest.length < 6 + length) return;
      const mask = rest.subarray(2, 6);
      const text = rest.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
      rest = rest.subarray(6 + length);
    }
  });
}
