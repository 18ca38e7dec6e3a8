import { Buffer } from 'node:buffer';

/** Sizes of RFC 1035 section 4.1. */
export const headerBytes = 12;
const maxNameBytes = 255;
const maxLabelBytes = 63;
const recordHeadBytes = 10;

export const classIn = 1;
export const types = {
  a: 1,
  ns: 2,
  cname: 5,
  soa: 6,
  null: 10,
  ptr: 12,
  mx: 15,
  txt: 16,
  aaaa: 28,
  srv: 33,
  naptr: 35,
  opt: 41,
  ds: 43,
  dnskey: 48,
  tlsa: 52,
  svcb: 64,
  https: 65,
  ixfr: 251,
  axfr: 252,
  any: 255,
  caa: 257,
} as const;

export const rcodes = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  noSuchName: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const;

/** A name as the message has it: the labels' bytes, and where the message goes on behind it. */
export interface WireName {
  labels: readonly Buffer[];
  end: number;
}

/** Reads a name; pointers only where allowed, and only backwards, so that no message can lead round in circles. Undefined when it is none. */
export function readName(message: Buffer, start: number, pointers: 'follow' | 'refuse'): WireName | undefined {
  const labels: Buffer[] = [];
  let offset = start;
  let lowest = start;
  let end: number | undefined;
  let nameBytes = 1;
  while (offset < message.length) {
    const length = message.readUInt8(offset);
    if (length === 0) return { labels, end: end ?? offset + 1 };
    if (length >= 0xc0) {
      if (pointers === 'refuse' || offset + 2 > message.length) return undefined;
      const target = message.readUInt16BE(offset) & 0x3fff;
      if (target >= lowest) return undefined;
      end ??= offset + 2;
      lowest = target;
      offset = target;
      continue;
    }
    nameBytes += 1 + length;
    if (length > maxLabelBytes || nameBytes > maxNameBytes || offset + 1 + length > message.length) return undefined;
    labels.push(message.subarray(offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return undefined;
}

/** The name in lower case without a trailing dot, when it is one that hosts and services have: letters, digits, `-` and `_`. Others have no plain text and never match a rule. */
export function plainName(labels: readonly Buffer[]): string | undefined {
  const name = labels.map((label) => label.toString('latin1').toLowerCase()).join('.');
  return isPlainName(name) && labels.every((label) => !label.includes(0x2e)) ? name : undefined;
}

export function isPlainName(name: string): boolean {
  return name.length <= maxNameBytes - 2 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
}

/** For people: what is not plain is written as `\DDD` (RFC 1035 section 5.1). */
export function printableName(labels: readonly Buffer[]): string {
  if (labels.length === 0) return '.';
  return labels.map((label) => [...label].map(printableByte).join('')).join('.');
}

function printableByte(byte: number): string {
  const character = String.fromCharCode(byte).toLowerCase();
  return /[a-z0-9_-]/.test(character) ? character : `\\${String(byte).padStart(3, '0')}`;
}

/** A plain name, without pointers. */
export function writeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
    Buffer.alloc(1),
  ]);
}

export interface WireRecord {
  /** Undefined when it is not plain. */
  name: string | undefined;
  isRoot: boolean;
  type: number;
  class: number;
  /** Seconds; for OPT what RFC 6891 puts there. */
  ttl: number;
  dataStart: number;
  dataEnd: number;
}

/** Reads one record; undefined when the message is broken there. */
export function readRecord(message: Buffer, start: number): WireRecord | undefined {
  const name = readName(message, start, 'follow');
  if (name === undefined || name.end + recordHeadBytes > message.length) return undefined;
  const dataStart = name.end + recordHeadBytes;
  const dataEnd = dataStart + message.readUInt16BE(name.end + 8);
  if (dataEnd > message.length) return undefined;
  return {
    name: plainName(name.labels),
    isRoot: name.labels.length === 0,
    type: message.readUInt16BE(name.end),
    class: message.readUInt16BE(name.end + 2),
    ttl: message.readUInt32BE(name.end + 4),
    dataStart,
    dataEnd,
  };
}

/** Reads this many records; undefined when the message is broken or too short for them. */
export function readRecords(
  message: Buffer,
  start: number,
  count: number,
): { records: WireRecord[]; end: number } | undefined {
  const records: WireRecord[] = [];
  let offset = start;
  while (records.length < count) {
    const record = readRecord(message, offset);
    if (record === undefined) return undefined;
    records.push(record);
    offset = record.dataEnd;
  }
  return { records, end: offset };
}
