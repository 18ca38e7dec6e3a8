import {
  channels,
  type FrameType,
  frameType,
  headerBytes,
  maxHostPayloadBytes,
  maxOpenBytes,
  moreFollowsFlag,
  startByte,
  trailerBytes,
  writeCount,
} from './frame.ts';

interface FrameHead {
  type: FrameType;
  streamId: number;
  offset: number;
  flags?: number;
}

const empty = Buffer.alloc(0);

/** One host-to-guest frame with its trailer. */
export function encodeFrame(tag: number, head: FrameHead, payload: Buffer = empty): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + payload.length + trailerBytes);
  writeFrame(bytes, 0, tag, head, payload);
  return bytes;
}

/** DATA frames for all of `parts`, cut at the protocol's bound and laid into one buffer: one write to the socket. */
export function encodeData(tag: number, streamId: number, offset: number, parts: readonly Buffer[]): Buffer {
  const frames = parts.flatMap((part) => cut(part));
  const size = frames.reduce((sum, frame) => sum + headerBytes + frame.length + trailerBytes, 0);
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  let sent = offset;
  for (const frame of frames) {
    position = writeFrame(bytes, position, tag, { type: frameType.data, streamId, offset: sent }, frame);
    sent += frame.length;
  }
  return bytes;
}

/** OPEN with these fields, in as many frames as they need: all but the last say that more follows. */
export function encodeOpen(tag: number, streamId: number, limit: number, fields: Buffer): Buffer {
  if (fields.length > maxOpenBytes) throw new RangeError('OPEN fields are beyond the bound');
  const pieces = cut(fields);
  return Buffer.concat(
    pieces.map((piece, index) => {
      const flags = index < pieces.length - 1 ? moreFollowsFlag : 0;
      return encodeFrame(tag, { type: frameType.open, streamId, offset: limit, flags }, piece);
    }),
  );
}

/** A frame whose payload is one count: ACK and RESUME. */
export function encodeCount(tag: number, head: FrameHead, count: number): Buffer {
  const payload = Buffer.allocUnsafe(8);
  writeCount(payload, count, 0);
  return encodeFrame(tag, head, payload);
}

function cut(bytes: Buffer): Buffer[] {
  if (bytes.length <= maxHostPayloadBytes) return [bytes];
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += maxHostPayloadBytes)
    pieces.push(bytes.subarray(start, start + maxHostPayloadBytes));
  return pieces;
}

function writeFrame(bytes: Buffer, position: number, tag: number, head: FrameHead, payload: Buffer): number {
  bytes[position] = startByte;
  bytes[position + 1] = head.type;
  bytes[position + 2] = channels.input;
  bytes[position + 3] = head.flags ?? 0;
  bytes.writeUInt32LE(payload.length, position + 4);
  bytes.writeUInt32LE(head.streamId, position + 8);
  writeCount(bytes, head.offset, position + 12);
  payload.copy(bytes, position + headerBytes);
  return bytes.writeUInt32LE(tag, position + headerBytes + payload.length);
}
