import { Buffer } from 'node:buffer';

/** What the pretended internet knows of a name; one that begins with `*.` stands for all below it that have no record of their own. */
export interface DnsRecords {
  a?: string[] | undefined;
  /** One address an answer, each in its turn. */
  turns?: string[] | undefined;
  /** Another name; who asks has to ask for that. */
  cname?: string | undefined;
  /** A TXT answer of about this many bytes. */
  txtBytes?: number | undefined;
  /** Default 60. */
  ttlSeconds?: number | undefined;
}

export type DnsZone = Record<string, DnsRecords>;

const typeA = 1;
const typeCname = 5;
const typeTxt = 16;

export interface DnsAnswerOfDouble {
  name: string;
  id: number;
  response: Buffer;
}

/** How often each name that has turns was answered, in this process. */
const turnsTaken = new Map<string, number>();

/** Answers from the zone, truncated beyond `maxBytes`; NXDOMAIN for unknown names, or always `rcode`. */
export function answerDns(query: Buffer, zone: DnsZone, maxBytes: number, rcode?: number): DnsAnswerOfDouble {
  const { name, end } = readName(query, 12);
  const type = query.readUInt16BE(end);
  const entry = entryOf(zone, name.toLowerCase());
  const records = rcode === undefined && entry !== undefined ? recordsOf(name.toLowerCase(), entry, type) : [];
  const code = rcode ?? (entry === undefined ? 3 : 0);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  const question = query.subarray(12, end + 4);
  const whole = Buffer.concat([header, question, ...records]);
  const id = query.readUInt16BE(0);
  if (whole.length <= maxBytes) return { name, id, response: whole };
  header.writeUInt16BE(0x8380 | code, 2);
  header.writeUInt16BE(0, 6);
  return { name, id, response: Buffer.concat([header, question]) };
}

function entryOf(zone: DnsZone, name: string): DnsRecords | undefined {
  const labels = name.split('.');
  const wildcards = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [name, ...wildcards].map((key) => zone[key]).find((entry) => entry !== undefined);
}

function recordsOf(name: string, entry: DnsRecords, type: number): Buffer[] {
  const { ttlSeconds = 60, cname } = entry;
  if (cname !== undefined) return [record(typeCname, encodeName(cname), ttlSeconds)];
  if (type === typeA) {
    return addressesOf(name, entry).map((address) =>
      record(typeA, Buffer.from(address.split('.').map(Number)), ttlSeconds),
    );
  }
  if (type !== typeTxt || entry.txtBytes === undefined) return [];
  const strings = Math.ceil(entry.txtBytes / 200);
  return Array.from({ length: strings }, () =>
    record(typeTxt, Buffer.concat([Buffer.from([200]), Buffer.alloc(200, 't')]), ttlSeconds),
  );
}

function addressesOf(name: string, { a = [], turns = [] }: DnsRecords): string[] {
  if (turns.length === 0) return a;
  const taken = turnsTaken.get(name) ?? 0;
  turnsTaken.set(name, taken + 1);
  return turns.slice(taken % turns.length).slice(0, 1);
}

/** A record that names the question by a pointer to it. */
function record(type: number, data: Buffer, ttlSeconds: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttlSeconds, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  const encoded = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...encoded, Buffer.from([0])]);
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let offset = start;
  for (let length = message.readUInt8(offset); length > 0; length = message.readUInt8(offset)) {
    labels.push(message.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { name: labels.join('.'), end: offset + 1 };
}

/** A query for one name, for tests that speak DNS themselves. */
export function buildQuery(name: string, type: 'A' | 'TXT', id: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  const tail = Buffer.from([0, type === 'A' ? typeA : typeTxt, 0, 1]);
  return Buffer.concat([header, encodeName(name), tail]);
}
