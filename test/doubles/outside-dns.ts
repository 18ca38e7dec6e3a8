import { Buffer } from 'node:buffer';

/** Records of the pretended internet: addresses, or a TXT answer of about this many bytes. */
export type DnsZone = Record<string, { a?: string[] | undefined; txtBytes?: number | undefined }>;

const typeA = 1;
const typeTxt = 16;

export interface DnsAnswerOfDouble {
  name: string;
  id: number;
  response: Buffer;
}

/** Answers from the zone, truncated beyond `maxBytes`; NXDOMAIN for unknown names, or always `rcode`. */
export function answerDns(query: Buffer, zone: DnsZone, maxBytes: number, rcode?: number): DnsAnswerOfDouble {
  const { name, end } = readName(query, 12);
  const type = query.readUInt16BE(end);
  const entry = zone[name.toLowerCase()];
  const records = rcode === undefined && entry !== undefined ? recordsOf(entry, type) : [];
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

function recordsOf(entry: DnsZone[string], type: number): Buffer[] {
  if (type === typeA)
    return (entry.a ?? []).map((address) => record(typeA, Buffer.from(address.split('.').map(Number))));
  if (type !== typeTxt || entry.txtBytes === undefined) return [];
  const strings = Math.ceil(entry.txtBytes / 200);
  return Array.from({ length: strings }, () =>
    record(typeTxt, Buffer.concat([Buffer.from([200]), Buffer.alloc(200, 't')])),
  );
}

/** A record that names the question by a pointer to it. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
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
  const labels = name.split('.').filter((label) => label !== '');
  const encoded = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  const tail = Buffer.from([0, 0, type === 'A' ? typeA : typeTxt, 0, 1]);
  return Buffer.concat([header, ...encoded, tail]);
}
