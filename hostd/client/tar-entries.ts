import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { OffshootError } from '../errors/offshoot-error.ts';

const blockBytes = 512;
const maxPaxBytes = 1024 * 1024;
const maxPaxHeaders = 8;
const maxTrailingBytes = 1024 * 1024;

export interface TarEntry {
  name: string;
  /** False when the name's bytes are no UTF-8: `name` is only for showing then. */
  nameIsText: boolean;
  type: 'file' | 'directory' | 'symlink' | 'hard-link' | 'other';
  mode: number;
  mtimeMs: number;
  sizeBytes: number;
  /** Of a link. */
  target: string;
  /** Reads the data in pieces. What is left unread is passed over. */
  content(): AsyncGenerator<Buffer>;
}

/**
 * Entries of a pax archive as a guest sends it, which is hostile: headers are bounded, nothing is unpacked that was not asked for.
 * The packages that read archives in JavaScript either split pax records at newlines in names or put no bound on their length.
 * Throws `unsafe-archive` when it is damaged or cut off; what broke the stream is thrown as it is.
 */
export async function* tarEntries(archive: Readable): AsyncGenerator<TarEntry> {
  try {
    yield* entriesOf(new Input(archive));
  } finally {
    archive.destroy();
  }
}

async function* entriesOf(input: Input): AsyncGenerator<TarEntry> {
  let pax = new Map<string, Buffer>();
  let paxHeaders = 0;
  for (;;) {
    const header = await input.take(blockBytes);
    if (header[0] === 0 && header.every((byte) => byte === 0)) {
      await input.drain();
      return;
    }
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = sizeOf(header, pax);
    if (type === 'x' || type === 'g') {
      paxHeaders += 1;
      if (size > maxPaxBytes) throw damaged('a header of it is too long');
      if (paxHeaders > maxPaxHeaders) throw damaged('it has headers without end');
      const records = parsePax(await input.take(size));
      await input.skip(padding(size));
      if (type === 'x') pax = records;
      continue;
    }
    const entry = describe(header, type, size, pax);
    pax = new Map();
    paxHeaders = 0;
    let left = size;
    yield {
      ...entry,
      async *content() {
        while (left > 0) {
          const piece = await input.some(left);
          left -= piece.length;
          yield piece;
        }
      },
    };
    await input.skip(left + padding(size));
  }
}

function describe(header: Buffer, type: string, size: number, pax: Map<string, Buffer>): Omit<TarEntry, 'content'> {
  const name = pax.get('path') ?? ustarName(header);
  const target = pax.get('linkpath') ?? text(header, 157, 100);
  const mtime = pax.get('mtime');
  const seconds = mtime === undefined ? number(header, 136, 12) : Number(mtime.toString('latin1'));
  const isText = isUtf8(name) && isUtf8(target);
  const sparse = [...pax.keys()].some((key) => key.startsWith('GNU.sparse.'));
  return {
    name: name.toString('utf8'),
    nameIsText: isText,
    type: sparse ? 'other' : (types[type] ?? 'other'),
    mode: number(header, 100, 8) & 0o7777,
    mtimeMs: Number.isFinite(seconds) ? seconds * 1000 : 0,
    sizeBytes: size,
    target: target.toString('utf8'),
  };
}

const types: Partial<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'hard-link',
  '2': 'symlink',
  '5': 'directory',
};

function ustarName(header: Buffer): Buffer {
  const name = text(header, 0, 100);
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? text(header, 345, 155) : Buffer.alloc(0);
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]);
}

function text(header: Buffer, start: number, length: number): Buffer {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return Buffer.from(end === -1 ? field : field.subarray(0, end));
}

/** Octal digits, or base 256 when the first bit is set. */
function number(header: Buffer, start: number, length: number): number {
  const field = header.subarray(start, start + length);
  const first = field[0] ?? 0;
  if (first === 0x80) return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
  if (first > 0x80) throw damaged('a number in it is out of range');
  const digits = field
    .toString('latin1')
    .replaceAll(/[\0 ]+/g, ' ')
    .trim();
  if (!/^[0-7]*$/.test(digits)) throw damaged('a number in it is malformed');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function sizeOf(header: Buffer, pax: Map<string, Buffer>): number {
  const given = pax.get('size')?.toString('latin1');
  if (given !== undefined && !/^\d{1,15}$/.test(given)) throw damaged('a size in it is malformed');
  const size = given === undefined ? number(header, 124, 12) : Number(given);
  if (!Number.isSafeInteger(size)) throw damaged('a size in it is out of range');
  return size;
}

function checkSum(header: Buffer): void {
  let sum = 8 * 32;
  for (let index = 0; index < blockBytes; index += 1) if (index < 148 || index >= 156) sum += header[index] ?? 0;
  if (sum !== number(header, 148, 8)) throw damaged('a checksum in it is wrong');
}

/** Records are `LENGTH KEY=VALUE\n`, where the length counts all of it: values may hold newlines. */
function parsePax(bytes: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let start = 0; start < bytes.length;) {
    const space = bytes.indexOf(0x20, start);
    const length = space === -1 ? '' : bytes.toString('latin1', start, space);
    const end = /^\d{1,7}$/.test(length) ? start + Number(length) : 0;
    const equals = bytes.indexOf(0x3d, space);
    if (end <= space + 2 || end > bytes.length || equals === -1 || equals >= end || bytes[end - 1] !== 0x0a)
      throw damaged('a record in it is malformed');
    records.set(bytes.toString('latin1', space + 1, equals), Buffer.from(bytes.subarray(equals + 1, end - 1)));
    start = end;
  }
  return records;
}

function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function damaged(why: string): OffshootError {
  return new OffshootError('unsafe-archive', {
    message: `The archive is damaged: ${why}.`,
    hint: 'What makes archives in the sandbox is broken or hostile; use a fresh sandbox.',
  });
}

/** Exact numbers of bytes out of a stream of pieces. */
class Input {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(archive: Readable) {
    this.#pieces = archive[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Between 1 and `most` bytes. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) throw damaged('its end is missing');
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  async take(bytes: number): Promise<Buffer> {
    if (this.#rest.length >= bytes) {
      const piece = this.#rest.subarray(0, bytes);
      this.#rest = this.#rest.subarray(bytes);
      return piece;
    }
    const pieces: Buffer[] = [];
    for (let left = bytes; left > 0;) {
      const piece = await this.some(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0;) left -= (await this.some(left)).length;
  }

  /** Reads to the end, so that a failure there is not missed. */
  async drain(): Promise<void> {
    for (let left = maxTrailingBytes; left > 0;) {
      const next = await this.#pieces.next();
      if (next.done === true) return;
      left -= next.value.length;
    }
    throw damaged('it goes on behind its end');
  }
}
