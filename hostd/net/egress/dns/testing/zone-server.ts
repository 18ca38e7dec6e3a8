import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { FrameReader, framed } from '../../../dns/message.ts';
import { freePort } from '../../../testing/free-port.ts';
import { plainName, readName, types, writeName } from '../wire.ts';

export interface ZoneRecord {
  type: number;
  /** By default the name asked for. */
  name?: string;
  ttl?: number;
  data: Buffer;
}

export interface ZoneEntry {
  answers?: readonly ZoneRecord[];
  authority?: readonly ZoneRecord[];
  additional?: readonly ZoneRecord[];
  rcode?: number;
  /** By UDP only a note that there is more. */
  truncated?: boolean;
  delayMs?: number;
}

export type Zone = Record<string, ZoneEntry>;

export const a = (address: string, more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  type: types.a,
  data: Buffer.from(address.split('.').map(Number)),
  ...more,
});

export const cname = (target: string, more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  type: types.cname,
  data: writeName(target),
  ...more,
});

export const txt = (text: string): ZoneRecord => ({
  type: types.txt,
  data: Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]),
});

/** With this as its last field, the time negative answers hold. */
export const soa = (minimumSeconds: number, more: Partial<ZoneRecord> = {}): ZoneRecord => {
  const numbers = Buffer.alloc(20);
  numbers.writeUInt32BE(minimumSeconds, 16);
  return {
    type: types.soa,
    data: Buffer.concat([writeName('ns.example'), writeName('admin.example'), numbers]),
    ...more,
  };
};

export interface Arrival {
  name: string;
  type: number;
  transport: 'udp' | 'tcp';
  bytes: Buffer;
}

/** A message that answers this query as the entry says; unknown names do not exist. */
export function zoneAnswer(query: Buffer, zone: Zone, transport: 'udp' | 'tcp'): Buffer {
  const { name, end } = questionOf(query);
  const entry: ZoneEntry = zone[name] ?? { rcode: 3 };
  const isCut = transport === 'udp' && entry.truncated === true;
  const matching = (entry.answers ?? []).filter(
    (record) => record.type === query.readUInt16BE(end) || record.type === types.cname || record.name !== undefined,
  );
  const sections = isCut ? [[], [], []] : [matching, entry.authority ?? [], entry.additional ?? []];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 | (isCut ? 0x0200 : 0) | (entry.rcode ?? 0), 2);
  sections.forEach((section, index) => head.writeUInt16BE(section.length, 6 + 2 * index));
  return Buffer.concat([head, query.subarray(12, end + 4), ...sections.flat().map(wireRecord)]);
}

function questionOf(query: Buffer): { name: string; end: number } {
  const read = readName(query, 12, 'refuse');
  const name = read === undefined ? undefined : plainName(read.labels);
  if (read === undefined || name === undefined) throw new Error('the resolver asked for no plain name');
  return { name, end: read.end };
}

function wireRecord({ type, name, ttl, data }: ZoneRecord): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(ttl ?? 60, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([name === undefined ? Buffer.from([0xc0, 12]) : writeName(name), head, data]);
}

/** A DNS server on 127.0.0.1, by UDP and TCP, until the test ends. */
export async function zoneServer(zone: Zone): Promise<{ port: number; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const port = await freePort();
  const answer = (query: Buffer, transport: 'udp' | 'tcp', send: (bytes: Buffer) => void): void => {
    const { name, end } = questionOf(query);
    arrivals.push({ name, type: query.readUInt16BE(end), transport, bytes: query });
    setTimeout(() => {
      send(zoneAnswer(query, zone, transport));
    }, zone[name]?.delayMs ?? 0);
  };
  const tcp = createServer((socket) => {
    const reader = new FrameReader();
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      for (const query of reader.push(chunk)) answer(query, 'tcp', (bytes) => socket.write(framed(bytes)));
    });
  }).listen(port, '127.0.0.1');
  await once(tcp, 'listening');
  const udp = createSocket('udp4').bind(port, '127.0.0.1');
  await once(udp, 'listening');
  udp.on('message', (query, from) => {
    answer(query, 'udp', (bytes) => {
      udp.send(bytes, from.port, from.address);
    });
  });
  onTestFinished(() => {
    udp.close();
    tcp.close();
  });
  return { port, arrivals };
}
