import { Buffer } from 'node:buffer';
import { readName, readRecords, types, writeName, type WireRecord } from '../wire.ts';

export interface QueryParts {
  /** A name, or its bytes. */
  name: string | Buffer;
  type?: number;
  class?: number;
  id?: number;
  /** The two bytes of flags. */
  flags?: number;
  counts?: [number, number, number, number];
  /** Adds an OPT record. */
  edns?: { udpBytes?: number; version?: number; flags?: number; options?: Buffer };
  tail?: Buffer;
}

/** A guest's query; every part can be made wrong. */
export function guestQuery(parts: QueryParts): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(parts.id ?? 0x1234, 0);
  head.writeUInt16BE(parts.flags ?? 0x0100, 2);
  const counts = parts.counts ?? [1, 0, 0, parts.edns === undefined ? 0 : 1];
  counts.forEach((count, index) => head.writeUInt16BE(count, 4 + 2 * index));
  const question = Buffer.alloc(4);
  question.writeUInt16BE(parts.type ?? types.a, 0);
  question.writeUInt16BE(parts.class ?? 1, 2);
  const name = typeof parts.name === 'string' ? writeName(parts.name) : parts.name;
  return Buffer.concat([
    head,
    name,
    question,
    ...(parts.edns === undefined ? [] : [opt(parts.edns)]),
    parts.tail ?? Buffer.alloc(0),
  ]);
}

function opt(edns: NonNullable<QueryParts['edns']>): Buffer {
  const options = edns.options ?? Buffer.alloc(0);
  const record = Buffer.alloc(11);
  record.writeUInt16BE(types.opt, 1);
  record.writeUInt16BE(edns.udpBytes ?? 1232, 3);
  record.writeUInt8(edns.version ?? 0, 6);
  record.writeUInt16BE(edns.flags ?? 0, 7);
  record.writeUInt16BE(options.length, 9);
  return Buffer.concat([record, options]);
}

export interface ReadReply {
  id: number;
  rcode: number;
  truncated: boolean;
  questions: number;
  /** In the case it has. */
  name: string;
  addresses: string[];
  ttls: number[];
  /** Of the whole answer section. */
  answers: WireRecord[];
  authority: number;
  opt: WireRecord | undefined;
  bytes: number;
}

/** Reads a reply as a client would; throws when it is no well-formed one. */
export function readReply(reply: Buffer | undefined): ReadReply {
  if (reply === undefined) throw new Error('no reply');
  if ((reply.readUInt8(2) & 0x80) === 0) throw new Error('no reply, but a query');
  const questions = reply.readUInt16BE(4);
  const name = questions === 0 ? undefined : readName(reply, 12, 'refuse');
  const start = questions === 0 ? 12 : (name?.end ?? 0) + 4;
  const read = readRecords(reply, start, reply.readUInt16BE(6) + reply.readUInt16BE(8) + reply.readUInt16BE(10));
  if (read?.end !== reply.length) throw new Error('the reply is longer or shorter than its records');
  const answers = read.records.slice(0, reply.readUInt16BE(6));
  const found = answers.filter((record) => record.type === types.a);
  return {
    id: reply.readUInt16BE(0),
    rcode: reply.readUInt8(3) & 15,
    truncated: (reply.readUInt8(2) & 2) !== 0,
    questions,
    name: (name?.labels ?? []).map((label) => label.toString('latin1')).join('.'),
    addresses: found.map((record) => [...reply.subarray(record.dataStart, record.dataEnd)].join('.')),
    ttls: found.map((record) => record.ttl),
    answers,
    authority: reply.readUInt16BE(8),
    opt: read.records.find((record) => record.type === types.opt),
    bytes: reply.length,
  };
}
