import { Buffer } from 'node:buffer';

/** Sizes and bits of the DNS header and question, RFC 1035 section 4.1. */
const headerBytes = 12;
const maxNameBytes = 255;
const maxLabelBytes = 63;
const typeAndClassBytes = 4;

export const rcodes = { noError: 0, formatError: 1, serverFailure: 2, notImplemented: 4, refused: 5 } as const;

/** A query as far as a forwarder has to understand it; the bytes go on as they are. */
export interface DnsQuery {
  id: number;
  bytes: Buffer;
  /** Where the one question ends. */
  questionEnd: number;
}

/** Reads a query with exactly one question; undefined for anything else. */
export function parseQuery(bytes: Buffer): DnsQuery | undefined {
  if (bytes.length < headerBytes) return undefined;
  const isResponse = (bytes.readUInt8(2) & 0x80) !== 0;
  const opcode = (bytes.readUInt8(2) >> 3) & 0x0f;
  if (isResponse || opcode !== 0 || bytes.readUInt16BE(4) !== 1) return undefined;
  const questionEnd = endOfQuestion(bytes);
  return questionEnd === undefined ? undefined : { id: bytes.readUInt16BE(0), bytes, questionEnd };
}

function endOfQuestion(bytes: Buffer): number | undefined {
  let offset = headerBytes;
  while (offset < bytes.length) {
    const labelBytes = bytes.readUInt8(offset);
    offset += 1 + labelBytes;
    if (labelBytes > maxLabelBytes || offset - headerBytes > maxNameBytes) return undefined;
    if (labelBytes === 0) return offset + typeAndClassBytes <= bytes.length ? offset + typeAndClassBytes : undefined;
  }
  return undefined;
}

/** The response's RCODE when it answers this query as it was sent out with `sentId`; undefined when it is not the answer. */
export function responseCode(query: DnsQuery, sentId: number, response: Buffer): number | undefined {
  if (response.length < headerBytes || response.readUInt16BE(0) !== sentId) return undefined;
  if ((response.readUInt8(2) & 0x80) === 0) return undefined;
  const code = response.readUInt8(3) & 0x0f;
  const questions = response.readUInt16BE(4);
  // A server that can't read a query's extensions answers without the question; the client has to see that.
  if (questions === 0) return code === rcodes.formatError || code === rcodes.notImplemented ? code : undefined;
  if (questions !== 1 || endOfQuestion(response) !== query.questionEnd) return undefined;
  return sameQuestion(query, response) ? code : undefined;
}

function sameQuestion(query: DnsQuery, response: Buffer): boolean {
  const nameEnd = query.questionEnd - typeAndClassBytes;
  for (let offset = headerBytes; offset < query.questionEnd; offset += 1) {
    const asked = query.bytes.readUInt8(offset);
    const answered = response.readUInt8(offset);
    if (offset < nameEnd ? foldCase(asked) !== foldCase(answered) : asked !== answered) return false;
  }
  return true;
}

function foldCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/** A copy under another id. */
export function withId(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}

/** An answer without records that carries only this RCODE. */
export function failureResponse(query: DnsQuery, code: number): Buffer {
  const response = Buffer.from(query.bytes.subarray(0, query.questionEnd));
  const recursionDesired = response.readUInt8(2) & 0x01;
  response.writeUInt8(0x80 | recursionDesired, 2);
  response.writeUInt8(0x80 | code, 3);
  response.fill(0, 6, headerBytes);
  return response;
}

/** A message as TCP carries it, RFC 1035 section 4.2.2. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}

/** Cuts a TCP stream into messages; holds at most one incomplete one. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that these bytes complete. */
  push(chunk: Buffer): Buffer[] {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    while (data.length >= 2 && data.length >= 2 + data.readUInt16BE(0)) {
      const end = 2 + data.readUInt16BE(0);
      messages.push(data.subarray(2, end));
      data = data.subarray(end);
    }
    this.#rest = data;
    return messages;
  }
}
