import { Buffer } from 'node:buffer';
import { readServerName, type ServerName } from './client-hello.ts';

const contentTypeHandshake = 22;
const handshakeTypeClientHello = 1;
const recordHeaderLength = 5;
const messageHeaderLength = 4;
const maxRecordLength = 2 ** 14;

/** `not-tls`: the first byte already is no handshake record; `malformed`: begins like TLS, but is no ClientHello; `too-long`: beyond the bound. */
export type HelloProgress =
  { state: 'more' } | { state: 'read'; serverName: ServerName } | { state: 'not-tls' | 'malformed' | 'too-long' };

/** Collects a ClientHello that comes in any number of segments and records (RFC 8446 section 5.1). Work and memory grow with its length only. */
export class ClientHelloReader {
  readonly #maxBytes: number;
  readonly #raw = new GrowingBytes();
  readonly #message = new GrowingBytes();
  #at = 0;
  #leftOfRecord = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Every byte taken so far, as it came. */
  get bytes(): Buffer {
    return this.#raw.view();
  }

  push(chunk: Buffer): HelloProgress {
    this.#raw.append(chunk);
    const progress = this.#read();
    if (progress.state === 'more' && this.#raw.length > this.#maxBytes) return { state: 'too-long' };
    return progress;
  }

  #read(): HelloProgress {
    for (;;) {
      if (this.#leftOfRecord === 0) {
        const header = this.#readRecordHeader();
        if (header.state !== 'header') return header;
      }
      const raw = this.#raw.view();
      const end = Math.min(raw.length, this.#at + this.#leftOfRecord);
      if (end === this.#at) return { state: 'more' };
      this.#message.append(raw.subarray(this.#at, end));
      this.#leftOfRecord -= end - this.#at;
      this.#at = end;
      const message = this.#readMessage();
      if (message.state !== 'more') return message;
    }
  }

  #readRecordHeader(): { state: 'header' } | Exclude<HelloProgress, { state: 'read' }> {
    const header = this.#raw.view().subarray(this.#at, this.#at + recordHeaderLength);
    const [type, major] = header;
    const first = this.#at === 0;
    if (type !== undefined && type !== contentTypeHandshake) return { state: first ? 'not-tls' : 'malformed' };
    if (major !== undefined && major !== 3) return { state: first ? 'not-tls' : 'malformed' };
    if (header.length < recordHeaderLength) return { state: 'more' };
    const length = header.readUInt16BE(3);
    if (length === 0 || length > maxRecordLength) return { state: 'malformed' };
    this.#at += recordHeaderLength;
    this.#leftOfRecord = length;
    return { state: 'header' };
  }

  #readMessage(): HelloProgress {
    const message = this.#message.view();
    if (message[0] !== handshakeTypeClientHello) return { state: 'malformed' };
    if (message.length < messageHeaderLength) return { state: 'more' };
    const end = messageHeaderLength + message.readUIntBE(1, 3);
    if (end > this.#maxBytes) return { state: 'too-long' };
    if (message.length < end) return { state: 'more' };
    const serverName = readServerName(message.subarray(messageHeaderLength, end));
    return serverName === undefined ? { state: 'malformed' } : { state: 'read', serverName };
  }
}

/** Doubles its room, so that a byte at a time is not copied over and over. */
class GrowingBytes {
  #bytes = Buffer.alloc(512);
  length = 0;

  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.length);
    this.length = length;
  }

  view(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}
