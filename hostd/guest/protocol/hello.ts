import { z } from 'zod';
import type { GuestHello, GuestStreamState } from '../guest.ts';
import { decodeFields, fieldTexts } from './fields.ts';
import { maxStreams, ProtocolViolation } from './frame.ts';
import { highestVersion, lowestVersion } from './resync.ts';

/** A stream of the agent's list, with what only the channel needs. */
export interface HelloStream extends GuestStreamState {
  /** Absolute limit up to which the host may send. */
  inputLimitBytes: number;
}

export interface Hello extends GuestHello {
  streams: readonly HelloStream[];
  bootId: string;
  generation: number;
}

/** A decimal count of at most 15 digits, so that it is exact. */
export const decimal = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
export const shortText = z.string().max(256);

const streamSchema = z.object({
  id: decimal.pipe(z.number().min(1).max(0xffffffff)),
  kind: z.string().regex(/^[a-z0-9-]{1,64}$/),
  received: decimal,
  limit: decimal,
  base: decimal,
  length: decimal,
  ended: z.enum(['0', '1']).default('0'),
});

const helloSchema = z.object({
  version: decimal.pipe(z.number().min(lowestVersion).max(highestVersion)),
  agent: shortText,
  'boot-id': shortText.default(''),
  generation: decimal.default(0),
});

const maxCapabilities = 64;
const maxHelloFields = maxStreams + maxCapabilities + 32;

/** Reads the fields of RESYNC_ACK. Throws ProtocolViolation. */
export function parseHello(fields: Buffer): Hello {
  const decoded = decodeFields(fields, maxHelloFields);
  const head = check(helloSchema, fieldTexts(decoded), 'RESYNC_ACK');
  const streams = decoded.filter(({ key }) => key === 'stream').map(({ value }) => parseStream(value));
  if (streams.length > maxStreams) throw new ProtocolViolation('RESYNC_ACK lists too many streams');
  if (new Set(streams.map(({ id }) => id)).size < streams.length)
    throw new ProtocolViolation('RESYNC_ACK lists a stream twice');
  return {
    protocolVersion: head.version,
    agentBuild: head.agent,
    capabilities: new Set(decoded.filter(({ key }) => key === 'capability').map(({ value }) => value.toString())),
    streams,
    bootId: head['boot-id'],
    generation: head.generation,
  };
}

function parseStream(value: Buffer): HelloStream {
  const stream = check(streamSchema, fieldTexts(decodeFields(value, 32)), 'a stream of RESYNC_ACK');
  if (stream.base > stream.length) throw new ProtocolViolation('a stream keeps more than it has produced');
  if (stream.limit < stream.received) throw new ProtocolViolation('a stream takes less than it has received');
  return {
    id: stream.id,
    kind: stream.kind,
    receivedBytes: stream.received,
    inputLimitBytes: stream.limit,
    baseOffset: stream.base,
    lengthBytes: stream.length,
    ended: stream.ended === '1',
  };
}

/** Zod at the border with the guest: what does not fit is a violation that names the field. */
export function check<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolViolation(`${what}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'malformed'}`);
}
