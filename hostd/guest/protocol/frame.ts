/** Message types of PROTOCOL.md. */
export const frameType = {
  resync: 0x01,
  resyncAck: 0x02,
  open: 0x10,
  data: 0x12,
  ack: 0x13,
  eof: 0x14,
  end: 0x15,
  close: 0x16,
  control: 0x17,
  resume: 0x18,
  ping: 0x20,
  pong: 0x21,
} as const;

export type FrameType = (typeof frameType)[keyof typeof frameType];

export const startByte = 0xf5;
export const headerBytes = 20;
export const trailerBytes = 4;
export const maxGuestPayloadBytes = 65536;
export const maxHostPayloadBytes = 16384;
export const maxPingBytes = 64;
export const moreFollowsFlag = 1;
/** Trailer of RESYNC and RESYNC_ACK, which come before there is a session tag. */
export const resyncTag = 0x52455359;
export const channels = { input: 0, stdout: 1, stderr: 2 } as const;
/** Guest-opened stream ids have this bit set. */
export const guestOpenedBit = 0x80000000;
export const maxOpenBytes = 2 * 1024 * 1024;
export const maxOpenFields = 4096;
export const maxStreams = 256;
/** What the guest may be sent on a new stream before its first ACK. */
export const initialInputLimitBytes = 65536;

/** One frame from the guest. The payload is a list of views into what was received, in order, so that no byte is copied. */
export interface Frame {
  type: number;
  channel: number;
  flags: number;
  streamId: number;
  /** An absolute byte count, at most 2^53 - 1. */
  offset: number;
  payload: readonly Buffer[];
  payloadBytes: number;
}

/** The guest sent something the protocol forbids. It ends the session; it never leaves the channel as it is. */
export class ProtocolViolation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolViolation';
  }
}

/** The payload of a frame as one buffer; for the small messages, DATA keeps its parts. */
export function wholePayload(frame: Frame): Buffer {
  const [first] = frame.payload;
  if (first === undefined) return Buffer.alloc(0);
  return frame.payload.length === 1 ? first : Buffer.concat(frame.payload);
}

/** The u64 at `position`; a count beyond 2^53 is a violation, no stream gets there. */
export function readCount(bytes: Buffer, position: number): number {
  const high = bytes.readUInt32LE(position + 4);
  if (high >= 0x200000) throw new ProtocolViolation('a byte count is beyond 2^53');
  return high * 0x100000000 + bytes.readUInt32LE(position);
}

export function writeCount(bytes: Buffer, count: number, position: number): void {
  bytes.writeUInt32LE(count % 0x100000000, position);
  bytes.writeUInt32LE(Math.floor(count / 0x100000000), position + 4);
}
