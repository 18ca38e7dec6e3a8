import {
  headerBytes,
  frameType,
  maxHostPayloadBytes,
  readCount,
  resyncTag,
  startByte,
  trailerBytes,
  writeCount,
} from '../../protocol/frame.ts';

const magic = Buffer.from('offshoot-resync\n');

/** A frame as the model agent sees or sends it. */
export interface PlainFrame {
  type: number;
  streamId: number;
  offset: number;
  payload: Buffer;
  channel?: number;
  flags?: number;
}

/** One frame's bytes, any side's, by the table of PROTOCOL.md: written apart from the encoder under test. */
export function plainFrame(tag: number, frame: PlainFrame): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(startByte, 0);
  header.writeUInt8(frame.type, 1);
  header.writeUInt8(frame.channel ?? 0, 2);
  header.writeUInt8(frame.flags ?? 0, 3);
  header.writeUInt32LE(frame.payload.length, 4);
  header.writeUInt32LE(frame.streamId, 8);
  writeCount(header, frame.offset, 12);
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(tag);
  return Buffer.concat([header, frame.payload, trailer]);
}

export function count(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  writeCount(bytes, value, 0);
  return bytes;
}

/** RESYNC_ACK for a nonce. */
export function resyncAnswer(nonce: Buffer, fields: Buffer): Buffer {
  const payload = Buffer.concat([magic, nonce, fields]);
  return plainFrame(resyncTag, { type: frameType.resyncAck, streamId: 0, offset: 0, payload });
}

/** The agent's decoder, after the rules of PROTOCOL.md: it hunts for RESYNC and keeps half a frame over carriers. */
export class HostFrameDecoder {
  tag: number | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #hunting = true;

  /** Calls back with each frame; for RESYNC the payload is the nonce. */
  push(chunk: Buffer, onFrame: (frame: PlainFrame) => void): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      if (this.#hunting && !this.#findResync()) return;
      let start = 0;
      while (this.#bytes[start] === 0) start += 1;
      this.#bytes = this.#bytes.subarray(start);
      if (this.#bytes.length < headerBytes) return;
      const length = this.#bytes.readUInt32LE(4);
      if (this.#bytes[0] !== startByte || length > maxHostPayloadBytes) {
        this.#hunt();
        continue;
      }
      const end = headerBytes + length;
      if (this.#bytes.length < end + trailerBytes) return;
      const type = this.#bytes.readUInt8(1);
      const payload = this.#bytes.subarray(headerBytes, end);
      const isResync = type === frameType.resync;
      if (this.#bytes.readUInt32LE(end) !== (isResync ? resyncTag : this.tag)) {
        this.#hunt();
        continue;
      }
      const frame: PlainFrame = {
        type,
        streamId: this.#bytes.readUInt32LE(8),
        offset: readCount(this.#bytes, 12),
        payload: isResync ? payload.subarray(16, 32) : payload,
        flags: this.#bytes.readUInt8(3),
      };
      this.#bytes = this.#bytes.subarray(end + trailerBytes);
      if (isResync) this.tag = frame.payload.readUInt32LE(0);
      onFrame(frame);
    }
  }

  #hunt(): void {
    this.#bytes = this.#bytes.subarray(1);
    this.#hunting = true;
  }

  #findResync(): boolean {
    const at = this.#bytes.indexOf(magic);
    const start = at - headerBytes;
    if (start >= 0 && this.#bytes[start] === startByte && this.#bytes[start + 1] === frameType.resync) {
      this.#bytes = this.#bytes.subarray(start);
      this.#hunting = false;
      return true;
    }
    this.#bytes = this.#bytes.subarray(Math.max(0, this.#bytes.length - headerBytes - magic.length));
    return false;
  }
}
