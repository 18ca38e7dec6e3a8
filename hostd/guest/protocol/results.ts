import { z } from 'zod';
import type { ExecFailure, GuestExecResult, GuestFileEntry, GuestMetrics } from '../guest.ts';
import { type DecodedField, decodeFields, fieldTexts } from './fields.ts';
import { ProtocolViolation } from './frame.ts';
import { check, decimal } from './hello.ts';

/** What an END says: results, or an error code with the guest's message. */
export type EndResult =
  | { ok: true; texts: Record<string, string> }
  | { ok: false; error: string; message: string; texts: Record<string, string> };

const maxEndFields = 64;

/** Reads the fields of END. Throws ProtocolViolation. */
export function parseEnd(payload: Buffer): EndResult {
  const texts = fieldTexts(decodeFields(payload, maxEndFields));
  if (texts['error'] === undefined) {
    if (texts['ok'] !== '1') throw new ProtocolViolation('END has neither ok nor error');
    return { ok: true, texts };
  }
  if (!/^[a-z0-9-]{1,64}$/.test(texts['error'])) throw new ProtocolViolation('END has a malformed error code');
  return { ok: false, error: texts['error'], message: cleanText(texts['message'] ?? ''), texts };
}

const maxMessageLength = 300;

/** Text from the guest as it may be shown: one line, no control or direction characters, clipped. */
export function cleanText(text: string): string {
  // eslint-disable-next-line no-control-regex -- taking control characters out is what this is for
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ').trim();
  return line.length <= maxMessageLength ? line : `${line.slice(0, maxMessageLength)}...`;
}

const flag = z.enum(['0', '1']).default('0');
const execSchema = z.object({
  'exit-code': decimal.pipe(z.number().max(255)).optional(),
  signal: decimal.pipe(z.number().min(1).max(64)).optional(),
  'timed-out': flag,
  'oom-killed': flag,
  'user-us': decimal.default(0),
  'system-us': decimal.default(0),
  'max-rss-kib': decimal.default(0),
});

const failureCodes = new Set<string>([
  'command-not-found',
  'not-executable',
  'cwd-missing',
  'user-missing',
  'spawn-failed',
] satisfies ExecFailure[]);

/** The result of an exec; an error code the interface has no name for is `spawn-failed` with the code in the message. */
export function parseExecResult(end: EndResult): GuestExecResult {
  const fields = check(execSchema, end.texts, 'END of an exec');
  if (end.ok && (fields['exit-code'] === undefined) === (fields.signal === undefined))
    throw new ProtocolViolation('END of an exec has neither or both of exit-code and signal');
  return {
    exitCode: fields['exit-code'] ?? null,
    signalNumber: fields.signal ?? null,
    timedOut: fields['timed-out'] === '1',
    oomKilled: fields['oom-killed'] === '1',
    ...(end.ok ? {} : { failure: parseFailure(end.error, end.message) }),
    userCpuMs: fields['user-us'] / 1000,
    systemCpuMs: fields['system-us'] / 1000,
    maxRssKiB: fields['max-rss-kib'],
  };
}

function parseFailure(error: string, message: string): NonNullable<GuestExecResult['failure']> {
  if (isFailureCode(error)) return { code: error, message };
  return { code: 'spawn-failed', message: `${error}: ${message}` };
}

function isFailureCode(error: string): error is ExecFailure {
  return failureCodes.has(error);
}

const entryTypes = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  p: 'fifo',
  s: 'socket',
  c: 'char-device',
  b: 'block-device',
} as const satisfies Record<string, GuestFileEntry['type']>;

const entrySchema = z.object({
  name: z.string().max(4096).default(''),
  type: z.enum(['f', 'd', 'l', 'p', 's', 'c', 'b']),
  size: decimal,
  mode: z.string().regex(/^[0-7]{1,7}$/),
  uid: decimal,
  gid: decimal,
  'mtime-ns': z.string().regex(/^-?\d{1,20}$/),
  target: z.string().max(4096).optional(),
});

/** A list entry, or the result of stat, from its fields. Throws ProtocolViolation. */
export function parseFileEntry(texts: Record<string, string>): GuestFileEntry {
  const fields = check(entrySchema, texts, 'a file entry');
  return {
    name: fields.name,
    type: entryTypes[fields.type],
    sizeBytes: fields.size,
    mode: Number.parseInt(fields.mode, 8) & 0o7777,
    uid: fields.uid,
    gid: fields.gid,
    mtimeMs: Number(BigInt(fields['mtime-ns']) / 1000n) / 1000,
    ...(fields.target === undefined ? {} : { target: fields.target }),
  };
}

/** The entry in a block of `list`'s data. */
export function parseListBlock(block: Buffer): GuestFileEntry {
  return parseFileEntry(fieldTexts(decodeFields(block, 32) satisfies DecodedField[]));
}

const metricsSchema = z.object({
  'memory-total-kib': decimal,
  'memory-available-kib': decimal,
  'disk-total-kib': decimal,
  'disk-free-kib': decimal,
  processes: decimal,
  load1: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/)
    .transform(Number),
  'uptime-ms': decimal,
  'clock-ns': z.string().regex(/^\d{1,20}$/),
});

export function parseMetrics(texts: Record<string, string>): GuestMetrics {
  const fields = check(metricsSchema, texts, 'metrics');
  return {
    memoryTotalKiB: fields['memory-total-kib'],
    memoryAvailableKiB: fields['memory-available-kib'],
    diskTotalKiB: fields['disk-total-kib'],
    diskFreeKiB: fields['disk-free-kib'],
    processes: fields.processes,
    load1: fields.load1,
    uptimeMs: fields['uptime-ms'],
    clockMs: Number(BigInt(fields['clock-ns']) / 1_000_000n),
  };
}

const countsSchema = z.object({
  size: decimal.default(0),
  entries: decimal.default(0),
  bytes: decimal.default(0),
  skipped: decimal.default(0),
});

export interface TransferCounts {
  size: number;
  entries: number;
  bytes: number;
  skipped: number;
}

/** The counts of a transfer's END; one that is missing is 0. Throws ProtocolViolation. */
export function parseCounts(texts: Record<string, string>): TransferCounts {
  return check(countsSchema, texts, 'END of a transfer');
}
