import { Buffer } from 'node:buffer';
import { largestUdpBytes, type GuestQuery } from './query.ts';
import { classIn, headerBytes, rcodes, types } from './wire.ts';

const maxTcpBytes = 65_535;
const isResponse = 0x80;
const truncated = 0x02;
const recursionAvailable = 0x80;

export type GuestTransport = 'udp' | 'tcp';

export interface Reply {
  rcode: number;
  /** The answer section: whole records, whose pointers count on the question being in its place. */
  answers?: readonly Buffer[];
}

/** A reply to this query: its question in the case it came in, the answers, and an OPT record if it had one. What does not fit UDP is left out and said to be, so that the client asks over TCP. */
export function buildReply(query: GuestQuery, reply: Reply, transport: GuestTransport): Buffer {
  const answers = reply.answers ?? [];
  const option = query.hasEdns ? [optionRecord(reply.rcode)] : [];
  const build = (records: readonly Buffer[], flags: number): Buffer => {
    const head = header(query, reply.rcode, flags);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt16BE(option.length, 10);
    return Buffer.concat([head, query.question, ...records, ...option]);
  };
  const whole = build(answers, 0);
  const limit = transport === 'udp' ? query.maxUdpBytes : maxTcpBytes;
  return whole.length <= limit ? whole : build([], truncated);
}

/** A reply without even the question, for queries whose question can't be read. */
export function bareReply(query: { id: number; recursionDesired: boolean }, rcode: number): Buffer {
  return header(query, rcode, 0);
}

/** Address records that name the question by a pointer to it. `ttlSeconds` is the time a client may keep them. */
export function addressRecords(addresses: readonly string[], ttlSeconds: number): Buffer[] {
  return addresses.map((address) => {
    const record = Buffer.alloc(16);
    record.writeUInt16BE(0xc000 | headerBytes, 0);
    record.writeUInt16BE(types.a, 2);
    record.writeUInt16BE(classIn, 4);
    record.writeUInt32BE(ttlSeconds, 6);
    record.writeUInt16BE(4, 10);
    record.set(address.split('.').map(Number), 12);
    return record;
  });
}

function header(query: { id: number; recursionDesired: boolean }, rcode: number, flags: number): Buffer {
  const head = Buffer.alloc(headerBytes);
  head.writeUInt16BE(query.id, 0);
  head.writeUInt8(isResponse | flags | (query.recursionDesired ? 1 : 0), 2);
  head.writeUInt8(recursionAvailable | (rcode & 0x0f), 3);
  return head;
}

/** RFC 6891: our own size, no options, and the "DNSSEC OK" bit clear, as no DNSSEC records are ever given. */
function optionRecord(rcode: number): Buffer {
  const record = Buffer.alloc(11);
  record.writeUInt16BE(types.opt, 1);
  record.writeUInt16BE(largestUdpBytes, 3);
  record.writeUInt8(rcode >> 4, 5);
  return record;
}

export const noSuchName: Reply = { rcode: rcodes.noSuchName };
export const noData: Reply = { rcode: rcodes.noError };
export const serverFailure: Reply = { rcode: rcodes.serverFailure };
