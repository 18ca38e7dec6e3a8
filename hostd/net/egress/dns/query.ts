import type { Buffer } from 'node:buffer';
import {
  classIn,
  headerBytes,
  plainName,
  printableName,
  rcodes,
  readName,
  readRecords,
  types,
  type WireRecord,
} from './wire.ts';

/** Every client takes answers of this size by UDP (RFC 1035 section 4.2.1). */
const smallestUdpBytes = 512;
/** What passes any path unfragmented (the value of DNS flag day 2020). */
export const largestUdpBytes = 1232;

export interface GuestQuery {
  id: number;
  recursionDesired: boolean;
  /** The question as it came, for the answer: clients compare its upper and lower case too. */
  question: Buffer;
  /** As rules have names; undefined for a name of other bytes than letters, digits, `-` and `_`, and for the root. */
  name: string | undefined;
  printable: string;
  isRoot: boolean;
  type: number;
  /** The largest answer its client takes by UDP, bytes. */
  maxUdpBytes: number;
  hasEdns: boolean;
}

/** `reject`: answered with this RCODE and no more; `ignore`: not answered, as it is no query at all. */
export type ParsedQuery =
  | { kind: 'query'; query: GuestQuery }
  | { kind: 'reject'; rcode: number; id: number; recursionDesired: boolean; query?: GuestQuery }
  | { kind: 'ignore' };

/** Reads what a guest sent. Its EDNS options (client subnet and all others) are read past and go nowhere: hostd asks with queries of its own. */
export function parseGuestQuery(bytes: Buffer): ParsedQuery {
  if (bytes.length < headerBytes) return { kind: 'ignore' };
  const flags = bytes.readUInt8(2);
  // Answering answers would let two resolvers talk to each other for ever.
  if ((flags & 0x80) !== 0) return { kind: 'ignore' };
  const head = { id: bytes.readUInt16BE(0), recursionDesired: (flags & 0x01) !== 0 };
  const reject = (rcode: number, query?: GuestQuery): ParsedQuery => ({
    kind: 'reject',
    rcode,
    ...head,
    ...(query === undefined ? {} : { query }),
  });
  if (((flags >> 3) & 0x0f) !== 0) return reject(rcodes.notImplemented);
  if (bytes.readUInt16BE(4) !== 1) return reject(rcodes.formatError);
  const name = readName(bytes, headerBytes, 'refuse');
  if (name === undefined || name.end + 4 > bytes.length) return reject(rcodes.formatError);
  const questionEnd = name.end + 4;
  const extension = readExtension(bytes, questionEnd);
  if (extension === 'broken') return reject(rcodes.formatError);
  const query: GuestQuery = {
    ...head,
    question: bytes.subarray(headerBytes, questionEnd),
    name: plainName(name.labels),
    printable: printableName(name.labels),
    isRoot: name.labels.length === 0,
    type: bytes.readUInt16BE(name.end),
    maxUdpBytes: udpBytes(extension),
    hasEdns: extension !== undefined,
  };
  if (extension !== undefined && ednsVersion(extension) !== 0) return reject(rcodes.badVersion, query);
  if (bytes.readUInt16BE(name.end + 2) !== classIn) return reject(rcodes.refused, query);
  return { kind: 'query', query };
}

/** The OPT record behind the question; every record has to be whole, and nothing may follow the last. */
function readExtension(bytes: Buffer, questionEnd: number): WireRecord | undefined | 'broken' {
  const before = bytes.readUInt16BE(6) + bytes.readUInt16BE(8);
  const read = readRecords(bytes, questionEnd, before + bytes.readUInt16BE(10));
  if (read?.end !== bytes.length) return 'broken';
  const options = read.records.filter((record) => record.type === types.opt);
  const [option] = options;
  if (option === undefined) return undefined;
  // RFC 6891 section 6.1.1: at most one, of the root, in the additional section.
  const isWellPlaced = read.records.indexOf(option) >= before && option.isRoot;
  return options.length === 1 && isWellPlaced ? option : 'broken';
}

function udpBytes(extension: WireRecord | undefined): number {
  return Math.min(largestUdpBytes, Math.max(smallestUdpBytes, extension?.class ?? 0));
}

function ednsVersion(extension: WireRecord): number {
  return (extension.ttl >>> 16) & 0xff;
}
