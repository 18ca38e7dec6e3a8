import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { answerDns, type DnsZone } from './outside-dns.ts';
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

async function serveUdp(spec: Spec, port: number): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (payload, from) => {
    report({ protocol: 'udp', to: spec.address, from: from.address, fromPort: from.port, port });
    socket.send(`${spec.address} ${from.address} ${payload.toString()}`, from.port, from.address);
  });
  socket.bind(port, spec.address);
  await once(socket, 'listening');
}

async function serveDns(spec: Spec, dns: NonNullable<Spec['dns']>): Promise<void> {
  const zone: DnsZone = dns.zone;
  const { port } = dns;
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    const { name, id, response } = answerDns(query, zone, 512, dns.rcode);
    report({ protocol: 'dns-udp', to: spec.address, from: from.address, fromPort: from.port, port, name, id });
    if (!dns.silent) udp.send(response, from.port, from.address);
  });
  udp.bind(port, spec.address);
  await once(udp, 'listening');
  await listenTcp(spec, port, (socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (rest.length < 2 || rest.length < 2 + rest.readUInt16BE(0)) return;
      const { name, id, response } = answerDns(rest.subarray(2, 2 + rest.readUInt16BE(0)), zone, 65_535, dns.rcode);
      rest = rest.subarray(2 + rest.readUInt16BE(0));
      report({ ...arrivalOf(socket, 'dns-tcp', port), name, id });
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
