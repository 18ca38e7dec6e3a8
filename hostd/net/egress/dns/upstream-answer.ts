import type { Buffer } from 'node:buffer';
import { classIn, headerBytes, plainName, rcodes, readName, readRecords, types, type WireRecord } from './wire.ts';

/** One name's addresses in one answer; more would not be used by any client. */
const maxAddresses = 256;
const maxLinksPerAnswer = 16;
/** For negative answers that don't say how long they hold, seconds. */
const defaultNegativeTtlSeconds = 5;
const bytesOfSmallestSoa = 22;

export type UpstreamAnswer =
  | { kind: 'addresses'; addresses: readonly string[]; ttlSeconds: number }
  /** The chain of names leads on to one that this message says nothing about. */
  | { kind: 'alias'; target: string; ttlSeconds: number }
  | { kind: 'none'; why: 'no-such-name' | 'no-data'; ttlSeconds: number }
  | { kind: 'truncated' }
  | { kind: 'failed' };

const failed: UpstreamAnswer = { kind: 'failed' };

/** The addresses of this name in a server's answer, along the answer's own chain of aliases; records of other names are not looked at. `failed` for an answer to another question, a broken one, and any that says neither yes nor no. */
export function readAddressAnswer(name: string, response: Buffer): UpstreamAnswer {
  const questionEnd = endOfMatchingQuestion(name, response);
  if (questionEnd === undefined) return failed;
  const rcode = response.readUInt8(3) & 0x0f;
  if (rcode !== rcodes.noError && rcode !== rcodes.noSuchName) return failed;
  if ((response.readUInt8(2) & 0x02) !== 0) return { kind: 'truncated' };
  const answers = readRecords(response, questionEnd, response.readUInt16BE(6));
  if (answers === undefined) return failed;
  const chain = followAliases(name, response, answers.records);
  if (chain === undefined) return failed;
  if (rcode === rcodes.noSuchName) return negative('no-such-name', response, answers.end);
  const found = answers.records.filter(
    (record) =>
      record.type === types.a && record.class === classIn && record.name === chain.name && isFourBytes(record),
  );
  const ttlSeconds = Math.min(...[...chain.links, ...found].map(ttlOf));
  if (found.length > 0) return { kind: 'addresses', addresses: addressesOf(response, found), ttlSeconds };
  if (chain.links.length > 0 && !hasSoa(response, answers.end))
    return { kind: 'alias', target: chain.name, ttlSeconds };
  return negative('no-data', response, answers.end);
}

function endOfMatchingQuestion(name: string, response: Buffer): number | undefined {
  if (response.length < headerBytes || (response.readUInt8(2) & 0x80) === 0 || response.readUInt16BE(4) !== 1) {
    return undefined;
  }
  const asked = readName(response, headerBytes, 'refuse');
  if (asked === undefined || asked.end + 4 > response.length || plainName(asked.labels) !== name) return undefined;
  const isSame = response.readUInt16BE(asked.end) === types.a && response.readUInt16BE(asked.end + 2) === classIn;
  return isSame ? asked.end + 4 : undefined;
}

/** Where the aliases lead within this message; undefined when to a name that is no plain one, or round in circles. */
function followAliases(
  start: string,
  response: Buffer,
  records: readonly WireRecord[],
): { name: string; links: WireRecord[] } | undefined {
  const links: WireRecord[] = [];
  let name = start;
  for (;;) {
    const current = name;
    const link = records.find(
      (record) => record.type === types.cname && record.class === classIn && record.name === current,
    );
    if (link === undefined) return { name, links };
    const target = readName(response, link.dataStart, 'follow');
    const next = target?.end === link.dataEnd ? plainName(target.labels) : undefined;
    if (next === undefined || links.length === maxLinksPerAnswer) return undefined;
    links.push(link);
    name = next;
  }
}

function addressesOf(response: Buffer, records: readonly WireRecord[]): string[] {
  const addresses = records.map((record) => [...response.subarray(record.dataStart, record.dataEnd)].join('.'));
  return [...new Set(addresses)].slice(0, maxAddresses);
}

function isFourBytes(record: WireRecord): boolean {
  return record.dataEnd - record.dataStart === 4;
}

/** RFC 2181 section 8: a TTL with its highest bit set is none. */
function ttlOf(record: WireRecord): number {
  return record.ttl > 0x7fff_ffff ? 0 : record.ttl;
}

/** How long a negative answer holds, RFC 2308 section 5: the smaller of the SOA record's own TTL and its last field. */
function negative(why: 'no-such-name' | 'no-data', response: Buffer, start: number): UpstreamAnswer {
  const soa = soaOf(response, start);
  const ttlSeconds =
    soa === undefined ? defaultNegativeTtlSeconds : Math.min(ttlOf(soa), response.readUInt32BE(soa.dataEnd - 4));
  return { kind: 'none', why, ttlSeconds };
}

function hasSoa(response: Buffer, start: number): boolean {
  return soaOf(response, start) !== undefined;
}

function soaOf(response: Buffer, start: number): WireRecord | undefined {
  const authority = readRecords(response, start, response.readUInt16BE(8))?.records ?? [];
  return authority.find(
    (record) => record.type === types.soa && record.dataEnd - record.dataStart >= bytesOfSmallestSoa,
  );
}
