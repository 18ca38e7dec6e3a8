import { Buffer } from 'node:buffer';
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { answerDns, type DnsAnswerOfDouble, type DnsZone } from './outside-dns.ts';
import { serveWeb, webSpecSchema } from './outside-web.ts';

const dnsRecordsSchema = z.object({
  a: z.array(z.string()).optional(),
  turns: z.array(z.string()).optional(),
  cname: z.string().optional(),
  txtBytes: z.number().optional(),
  ttlSeconds: z.number().optional(),
});

/**
 * Servers of the pretended internet, run as a program inside a network namespace: `node outside-servers.ts SPEC`. Prints one JSON line
 * `{"ready":true}` and then one for everything that arrives, so that tests see what got through. Ends with its standard input.
 */
export const serverSpecSchema = z.object({
  /** Listen here; every address of the namespace by default. */
  address: z.string().default('0.0.0.0'),
  /** These say `hello from ADDRESS to PEER` and close; port 80 says it as HTTP. */
  tcpPorts: z.array(z.number()).default([]),
  /** These send back `ADDRESS PEER PAYLOAD`. */
  udpPorts: z.array(z.number()).default([]),
  /** Sends this many bytes to whoever connects. */
  bulk: z.object({ port: z.number(), bytes: z.number() }).optional(),
  /** Sends a byte to whoever connects, every so often. */
  drip: z
    .object({
      port: z.number(),
      bytes: z.number(),
      everyMs: z.number(),
      /** Bytes at a time, each in a packet of its own as far as the kernel lets it be. */
      atOnce: z.number().default(1),
    })
    .optional(),
  /** Says this first, as servers of SSH do, and then sends back what it gets. */
  banner: z.object({ port: z.number(), text: z.string() }).optional(),
  web: webSpecSchema.optional(),
  dns: z
    .object({
      port: z.number().default(53),
      zone: z.record(z.string(), dnsRecordsSchema),
      /** Take queries and never answer. */
      silent: z.boolean().default(false),
      /** Answer every query with this RCODE. */
      rcode: z.number().optional(),
    })
    .optional(),
});

export type ServerSpec = z.input<typeof serverSpecSchema>;
type Spec = z.output<typeof serverSpecSchema>;

export const arrivalSchema = z.object({
  protocol: z.enum(['tcp', 'udp', 'dns-tcp', 'dns-udp', 'http', 'https']),
  to: z.string(),
  from: z.string(),
  fromPort: z.number(),
  port: z.number(),
  /** Asked of DNS, or the one that a web server was asked for. */
  name: z.string().optional(),
  /** The DNS id. */
  id: z.number().optional(),
});

export type Arrival = z.output<typeof arrivalSchema>;

function report(arrival: Arrival): void {
  process.stdout.write(`${JSON.stringify(arrival)}\n`);
}

function plain(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/, '');
}

async function listenTcp(spec: Spec, port: number, serve: (socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  server.listen({ host: spec.address, port, backlog: 256 });
  await once(server, 'listening');
}

function arrivalOf(socket: Socket, protocol: Arrival['protocol'], port: number): Arrival {
  const from = plain(socket.remoteAddress);
  return { protocol, to: plain(socket.localAddress), from, fromPort: socket.remotePort ?? 0, port };
}

async function serveHello(spec: Spec, port: number): Promise<void> {
  await listenTcp(spec, port, (socket) => {
    const arrival = arrivalOf(socket, 'tcp', port);
    report(arrival);
    const text = `hello from ${arrival.to} to ${arrival.from}\n`;
    const http = `HTTP/1.1 200 OK\r\nContent-Length: ${String(text.length)}\r\nConnection: close\r\n\r\n${text}`;
    if (port === 80) socket.once('data', () => socket.end(http));
    else socket.end(text);
  });
}

async function listenUdp(
  spec: Spec,
  port: number,
  serve: (socket: UdpSocket, payload: Buffer, from: RemoteInfo) => void,
): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(port, spec.address);
  await once(socket, 'listening');
  socket.on('error', () => undefined); // an answer that can't be sent is a lost one
  socket.on('message', (payload, from) => {
    serve(socket, payload, from);
  });
}

/** To port 0 nothing can be sent. */
function sendBack(socket: UdpSocket, answer: Buffer | string, { port, address }: RemoteInfo): void {
  if (port !== 0) socket.send(answer, port, address);
}

async function serveUdp(spec: Spec, port: number): Promise<void> {
  await listenUdp(spec, port, (socket, payload, from) => {
    report({ protocol: 'udp', to: spec.address, from: from.address, fromPort: from.port, port });
    sendBack(socket, `${spec.address} ${from.address} ${payload.toString()}`, from);
  });
}

/** Nothing for bytes that are no query; that they came is reported all the same. */
function answerIfReadable(...[query, ...rest]: Parameters<typeof answerDns>): Partial<DnsAnswerOfDouble> {
  try {
    return answerDns(query, ...rest);
  } catch (error) {
    if (error instanceof RangeError) return {};
    throw error;
  }
}

async function serveDns(spec: Spec, dns: NonNullable<Spec['dns']>): Promise<void> {
  const zone: DnsZone = dns.zone;
  const { port } = dns;
  await listenUdp(spec, port, (socket, query, from) => {
    const { response, ...asked } = answerIfReadable(query, zone, 512, dns.rcode);
    report({ protocol: 'dns-udp', to: spec.address, from: from.address, fromPort: from.port, port, ...asked });
    if (response !== undefined && !dns.silent) sendBack(socket, response, from);
  });
  await listenTcp(spec, port, (socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (rest.length < 2 || rest.length < 2 + rest.readUInt16BE(0)) return;
      const query = rest.subarray(2, 2 + rest.readUInt16BE(0));
      rest = rest.subarray(2 + query.length);
      const { response, ...asked } = answerIfReadable(query, zone, 65_535, dns.rcode);
      report({ ...arrivalOf(socket, 'dns-tcp', port), ...asked });
      if (response === undefined) {
        socket.destroy();
        return;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length, 0);
      if (!dns.silent) socket.write(Buffer.concat([length, response]));
    });
  });
}

async function serve(spec: Spec): Promise<void> {
  await Promise.all([
    ...spec.tcpPorts.map((port) => serveHello(spec, port)),
    ...spec.udpPorts.map((port) => serveUdp(spec, port)),
    ...(spec.dns === undefined ? [] : [serveDns(spec, spec.dns)]),
    ...(spec.drip === undefined ? [] : [serveDrip(spec, spec.drip)]),
    ...(spec.bulk === undefined ? [] : [serveBulk(spec, spec.bulk)]),
    ...(spec.banner === undefined ? [] : [serveBanner(spec, spec.banner)]),
    ...(spec.web === undefined
      ? []
      : [
          serveWeb(spec.address, spec.web, ({ protocol, socket, port, ...named }) => {
            report({ ...arrivalOf(socket, protocol, port), ...named });
          }),
        ]),
  ]);
}

async function serveBulk(spec: Spec, bulk: { port: number; bytes: number }): Promise<void> {
  await listenTcp(spec, bulk.port, (socket) => {
    report(arrivalOf(socket, 'tcp', bulk.port));
    socket.end(Buffer.alloc(bulk.bytes, 'x'));
  });
}

async function serveBanner(spec: Spec, banner: { port: number; text: string }): Promise<void> {
  await listenTcp(spec, banner.port, (socket) => {
    report(arrivalOf(socket, 'tcp', banner.port));
    socket.write(`${banner.text}\r\n`);
    socket.pipe(socket);
  });
}

async function serveDrip(spec: Spec, drip: NonNullable<Spec['drip']>): Promise<void> {
  await listenTcp(spec, drip.port, (socket) => {
    report(arrivalOf(socket, 'tcp', drip.port));
    socket.setNoDelay(true);
    let sent = 0;
    const timer = setInterval(() => {
      for (let written = 0; written < drip.atOnce && sent < drip.bytes; written += 1) {
        sent += 1;
        if (sent < drip.bytes) socket.write('.');
        else socket.end('.');
      }
    }, drip.everyMs);
    socket.once('close', () => {
      clearInterval(timer);
    });
    socket.resume();
  });
}

if (import.meta.main) {
  const specs = z.array(serverSpecSchema).parse(JSON.parse(process.argv[2] ?? '[]'));
  await Promise.all(specs.map(serve));
  process.stdout.write('{"ready":true}\n');
  process.stdin.on('end', () => process.exit(0)).resume();
}
