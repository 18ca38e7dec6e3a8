import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { z } from 'zod';
import { buildQuery } from '../../../test/doubles/outside-dns.ts';

/** Tries to reach things from inside a guest's namespace: `node probe.ts PROBES` prints one JSON list of results. */
export const probeSchema = z.object({
  kind: z.enum(['tcp', 'udp', 'dns-udp', 'dns-tcp']),
  to: z.string(),
  port: z.number(),
  /** Source address to use, a spoofed one perhaps. */
  from: z.string().optional(),
  name: z.string().default('public.example'),
  type: z.enum(['A', 'TXT']).default('A'),
  timeoutMs: z.number().default(1500),
});

export const resultSchema = z.object({
  /** `ok`, `timeout`, or the error code. */
  outcome: z.string(),
  tookMs: z.number(),
  bytes: z.number(),
  /** Text received, or the DNS answer as `rcode/records[/truncated]`. */
  text: z.string(),
});

export type Probe = z.input<typeof probeSchema>;
export type ProbeResult = z.output<typeof resultSchema>;
type Request = z.output<typeof probeSchema>;

interface Received {
  outcome: string;
  data: Buffer;
}

function overTcp(probe: Request, send: Buffer | undefined): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({
      host: probe.to,
      port: probe.port,
      ...(probe.from === undefined ? {} : { localAddress: probe.from }),
    });
    const finish = (outcome: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ outcome, data: Buffer.concat(chunks) });
    };
    const timer = setTimeout(finish, probe.timeoutMs, 'timeout');
    socket.on('error', (error: NodeJS.ErrnoException) => {
      finish(error.code ?? error.message);
    });
    socket.on('end', () => {
      finish('ok');
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      if (probe.kind === 'dns-tcp' && whole.length >= 2 && whole.length >= 2 + whole.readUInt16BE(0)) finish('ok');
    });
    if (send !== undefined) socket.write(send);
  });
}

function overUdp(probe: Request, send: Buffer): Promise<Received> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const finish = (outcome: string, data: Buffer = Buffer.alloc(0)): void => {
      clearTimeout(timer);
      socket.close();
      resolve({ outcome, data });
    };
    const timer = setTimeout(finish, probe.timeoutMs, 'timeout');
    socket.on('error', (error: NodeJS.ErrnoException) => {
      finish(error.code ?? error.message);
    });
    socket.on('message', (message) => {
      finish('ok', message);
    });
    socket.bind({ address: probe.from ?? '0.0.0.0', port: 0 }, () => {
      socket.connect(probe.port, probe.to, () => {
        socket.send(send);
      });
    });
  });
}

function dnsText(message: Buffer): string {
  if (message.length < 12) return '';
  const flags = message.readUInt16BE(2);
  const truncated = (flags & 0x0200) === 0 ? '' : '/truncated';
  return `${String(flags & 0x0f)}/${String(message.readUInt16BE(6))}${truncated}`;
}

async function attempt(probe: Request): Promise<ProbeResult> {
  const startedMs = performance.now();
  const query = buildQuery(probe.name, probe.type, 4321);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length, 0);
  const http = Buffer.from('GET / HTTP/1.0\r\n\r\n');
  const isTcp = probe.kind === 'tcp' || probe.kind === 'dns-tcp';
  const payload = probe.kind === 'udp' ? Buffer.from('ping') : query;
  const overTcpPayload =
    probe.kind === 'dns-tcp' ? Buffer.concat([length, query]) : probe.port === 80 ? http : undefined;
  const { outcome, data } = await (isTcp ? overTcp(probe, overTcpPayload) : overUdp(probe, payload));
  const isDns = probe.kind !== 'tcp' && probe.kind !== 'udp';
  const text = isDns ? dnsText(probe.kind === 'dns-tcp' ? data.subarray(2) : data) : data.toString('latin1', 0, 300);
  return { outcome, tookMs: performance.now() - startedMs, bytes: data.length, text };
}

if (import.meta.main) {
  const probes = z.array(probeSchema).parse(JSON.parse(process.argv[2] ?? '[]'));
  process.stdout.write(JSON.stringify(await Promise.all(probes.map(attempt))));
}
