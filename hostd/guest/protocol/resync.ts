import {
  channels,
  frameType,
  headerBytes,
  maxGuestPayloadBytes,
  maxHostPayloadBytes,
  resyncTag,
  startByte,
  trailerBytes,
} from './frame.ts';
import { encodeFrame } from './frame-encoder.ts';

const magic = Buffer.from('offshoot-resync\n');
export const nonceBytes = 16;
export const lowestVersion = 1;
export const highestVersion = 1;

/** Completes whatever frame an earlier host left half written, so that it fails its trailer. */
export const padding: Buffer = Buffer.alloc(headerBytes + maxHostPayloadBytes + trailerBytes);

/** The RESYNC frame that begins a session. */
export function encodeResync(nonce: Buffer): Buffer {
  const versions = Buffer.alloc(4);
  versions.writeUInt16LE(lowestVersion, 0);
  versions.writeUInt16LE(highestVersion, 2);
  const payload = Buffer.concat([magic, nonce, versions]);
  return encodeFrame(resyncTag, { type: frameType.resync, streamId: 0, offset: 0 }, payload);
}

/** The tag that closes every later frame of the session. */
export function sessionTag(nonce: Buffer): number {
  return nonce.readUInt32LE(0);
}

export interface ResyncAnswer {
  /** The fields of RESYNC_ACK, still encoded. */
  fields: Buffer;
  /** What came after it: the first frames of the session. */
  rest: Buffer;
}

/**
 * Discards everything up to the RESYNC_ACK that answers one nonce. It holds at most one such frame, and its work is
 * linear in what comes, whatever comes.
 */
export class ResyncHunter {
  /** Bytes thrown away so far. */
  discardedBytes = 0;
  /** Magic and nonce: what only the answer holds. */
  readonly #mark: Buffer;
  #carry: Buffer = Buffer.alloc(0);
  #answer: Buffer | undefined;
  #answerFill = 0;

  constructor(nonce: Buffer) {
    this.#mark = Buffer.concat([magic, nonce]);
  }

  push(chunk: Buffer): ResyncAnswer | undefined {
    let rest = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = Buffer.alloc(0);
    while (rest.length > 0) {
      if (this.#answer === undefined) {
        const start = this.#hunt(rest);
        if (start === undefined) return undefined;
        rest = rest.subarray(start);
        this.#answer = Buffer.allocUnsafe(headerBytes + rest.readUInt32LE(4) + trailerBytes);
        this.#answerFill = 0;
      }
      const answer = this.#answer;
      const taken = rest.copy(answer, this.#answerFill);
      this.#answerFill += taken;
      rest = rest.subarray(taken);
      if (this.#answerFill < answer.length) return undefined;
      this.#answer = undefined;
      if (answer.readUInt32LE(answer.length - trailerBytes) === resyncTag)
        return { fields: answer.subarray(prefixBytes, answer.length - trailerBytes), rest };
      this.discardedBytes += answer.length;
    }
    return undefined;
  }

  /** Where an answer begins in `bytes`. The end of them, where one may have begun, is carried over. */
  #hunt(bytes: Buffer): number | undefined {
    for (let mark = bytes.indexOf(this.#mark); mark >= 0; mark = bytes.indexOf(this.#mark, mark + 1)) {
      const start = mark - headerBytes;
      if (start < 0 || !isAnswerHeader(bytes, start)) continue;
      this.discardedBytes += start;
      return start;
    }
    const carried = Math.min(bytes.length, prefixBytes - 1);
    this.discardedBytes += bytes.length - carried;
    this.#carry = Buffer.from(bytes.subarray(bytes.length - carried));
    return undefined;
  }
}

function isAnswerHeader(bytes: Buffer, at: number): boolean {
  for (let index = 0; index < headerBytes; index += 1) {
    const isLength = index >= 4 && index < 8;
    if (!isLength && bytes[at + index] !== answerHeader[index]) return false;
  }
  const payloadBytes = bytes.readUInt32LE(at + 4);
  return payloadBytes >= magic.length + nonceBytes && payloadBytes <= maxGuestPayloadBytes;
}

const prefixBytes = headerBytes + magic.length + nonceBytes;
const answerHeader = Buffer.alloc(headerBytes);
answerHeader[0] = startByte;
answerHeader[1] = frameType.resyncAck;
answerHeader[2] = channels.input;
