import {
  channels,
  type Frame,
  frameType,
  headerBytes,
  maxGuestPayloadBytes,
  maxPingBytes,
  ProtocolViolation,
  readCount,
  startByte,
  trailerBytes,
} from './frame.ts';

/** Pieces of a payload shorter than this are copied together: a guest that dribbles can't make hostd hold a view for each byte. */
const viewBytes = 4096;

/**
 * Cuts what the guest sends in a session into frames. It holds at most one frame and never copies a large payload;
 * anything malformed throws ProtocolViolation, after which the decoder is of no further use.
 */
export class FrameDecoder {
  /** Padding bytes seen between frames, in all. */
  paddingBytes = 0;
  readonly #tag: number;
  readonly #onFrame: (frame: Frame) => void;
  readonly #header = Buffer.alloc(headerBytes);
  #headerFill = 0;
  #frame: Frame | undefined;
  #parts: Buffer[] = [];
  #missing = 0;
  #gather: Buffer | undefined;
  #gatherFill = 0;
  readonly #trailer = Buffer.alloc(trailerBytes);
  #trailerFill = 0;

  constructor(tag: number, onFrame: (frame: Frame) => void) {
    this.#tag = tag;
    this.#onFrame = onFrame;
  }

  /** Bytes held for a frame that is not complete. */
  get heldBytes(): number {
    const views = this.#parts.reduce((sum, part) => sum + part.length, 0);
    return this.#headerFill + views + (this.#gather === undefined ? 0 : this.#gather.length) + this.#trailerFill;
  }

  push(chunk: Buffer): void {
    let position = 0;
    while (position < chunk.length) {
      position = this.#frame === undefined ? this.#takeHeader(chunk, position) : this.#takeBody(chunk, position);
    }
  }

  #takeHeader(chunk: Buffer, start: number): number {
    let position = start;
    if (this.#headerFill === 0) {
      while (position < chunk.length && chunk[position] === 0) position += 1;
      this.paddingBytes += position - start;
      if (position === chunk.length) return position;
      if (chunk[position] !== startByte) throw new ProtocolViolation('a frame has a wrong start byte');
      if (chunk.length - position >= headerBytes) return this.#begin(chunk, position, position + headerBytes);
    }
    const taken = chunk.copy(this.#header, this.#headerFill, position);
    this.#headerFill += taken;
    if (this.#headerFill < headerBytes) return position + taken;
    this.#headerFill = 0;
    return this.#begin(this.#header, 0, position + taken);
  }

  #begin(bytes: Buffer, at: number, next: number): number {
    const frame = readHeader(bytes, at);
    this.#frame = frame;
    this.#parts = [];
    this.#missing = frame.payloadBytes;
    return next;
  }

  #takeBody(chunk: Buffer, start: number): number {
    let position = start;
    if (this.#missing > 0) {
      const piece = chunk.subarray(position, position + this.#missing);
      this.#missing -= piece.length;
      position += piece.length;
      this.#keep(piece);
      if (this.#missing > 0) return position;
    }
    if (this.#trailerFill === 0 && chunk.length - position >= trailerBytes) {
      this.#finish(chunk.readUInt32LE(position));
      return position + trailerBytes;
    }
    const taken = chunk.copy(this.#trailer, this.#trailerFill, position);
    this.#trailerFill += taken;
    if (this.#trailerFill === trailerBytes) this.#finish(this.#trailer.readUInt32LE(0));
    return position + taken;
  }

  #keep(piece: Buffer): void {
    const whole = this.#missing === 0 && this.#gather === undefined;
    if (whole || piece.length >= viewBytes) {
      this.#flushGather();
      this.#parts.push(piece);
      return;
    }
    if (this.#gather !== undefined && this.#gatherFill + piece.length > this.#gather.length) this.#flushGather();
    this.#gather ??= Buffer.allocUnsafe(Math.min(piece.length + this.#missing, 4 * viewBytes));
    this.#gatherFill += piece.copy(this.#gather, this.#gatherFill);
    if (this.#missing === 0) this.#flushGather();
  }

  #flushGather(): void {
    if (this.#gather === undefined) return;
    this.#parts.push(this.#gather.subarray(0, this.#gatherFill));
    this.#gather = undefined;
    this.#gatherFill = 0;
  }

  #finish(trailer: number): void {
    const frame = this.#frame;
    if (frame === undefined || trailer !== this.#tag) throw new ProtocolViolation('a frame has a wrong trailer');
    frame.payload = this.#parts;
    this.#frame = undefined;
    this.#parts = [];
    this.#trailerFill = 0;
    this.#onFrame(frame);
  }
}

function readHeader(bytes: Buffer, at: number): Frame {
  const frame: Frame = {
    type: bytes.readUInt8(at + 1),
    channel: bytes.readUInt8(at + 2),
    flags: bytes.readUInt8(at + 3),
    payloadBytes: bytes.readUInt32LE(at + 4),
    streamId: bytes.readUInt32LE(at + 8),
    offset: readCount(bytes, at + 12),
    payload: [],
  };
  const isData = frame.type === frameType.data;
  const knownChannel = isData
    ? frame.channel === channels.stdout || frame.channel === channels.stderr
    : frame.channel === channels.input;
  if (!knownChannel) throw new ProtocolViolation('a frame has a wrong channel');
  if (frame.flags !== 0 && frame.type !== frameType.open) throw new ProtocolViolation('a frame has unknown flags');
  checkLength(frame);
  const isSession = frame.type === frameType.ping || frame.type === frameType.pong;
  if (isSession !== (frame.streamId === 0)) throw new ProtocolViolation('a frame has a wrong stream id');
  return frame;
}

/** Each type has its own bounds, so that no more is gathered than the message can use. Types that only hostd sends are wrong here. */
function checkLength({ type, payloadBytes }: Frame): void {
  const bounds = lengthBounds.get(type);
  if (bounds === undefined) throw new ProtocolViolation(`a frame has the unknown type ${String(type)}`);
  if (payloadBytes < bounds[0] || payloadBytes > bounds[1])
    throw new ProtocolViolation(`a frame of type ${String(type)} has the wrong length ${String(payloadBytes)}`);
}

const lengthBounds = new Map<number, readonly [lowest: number, highest: number]>([
  [frameType.open, [0, maxGuestPayloadBytes]],
  [frameType.data, [1, maxGuestPayloadBytes]],
  [frameType.ack, [8, 8]],
  [frameType.eof, [0, 0]],
  [frameType.end, [0, maxGuestPayloadBytes]],
  [frameType.ping, [0, maxPingBytes]],
  [frameType.pong, [0, maxPingBytes]],
]);
