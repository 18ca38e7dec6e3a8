import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, open, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Block blobs as files: written whole, or in blocks that a list then puts in order (Azure's Put Blob, Put Block, Put Block List). */
export class BlobStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const blob = path.join(this.#folder, path.basename(url.pathname));
    if (request.method === 'GET') return this.#send(response, blob);
    if (request.method !== 'PUT') {
      response.writeHead(405).end();
      return;
    }
    await mkdir(this.#folder, { recursive: true });
    const part = url.searchParams.get('comp');
    if (part === 'block') await pipeline(request, createWriteStream(blockFile(blob, url.searchParams.get('blockid'))));
    else if (part === 'blocklist') await joinBlocks(blob, await text(request));
    else await pipeline(request, createWriteStream(blob));
    response.writeHead(201, { etag: '"1"', 'last-modified': new Date().toUTCString() }).end();
  }

  async sizeBytes(blob: string): Promise<number | undefined> {
    return (await stat(path.join(this.#folder, blob)).catch(() => undefined))?.size;
  }

  /** Turns over the bits of a byte in the middle. */
  async damage(blob: string): Promise<void> {
    const file = await open(path.join(this.#folder, blob), 'r+');
    try {
      const position = Math.floor((await file.stat()).size / 2);
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, position);
      await file.write(Buffer.from([byte.readUInt8() ^ 0xff]), 0, 1, position);
    } finally {
      await file.close();
    }
  }

  async #send(response: ServerResponse, blob: string): Promise<void> {
    const { size } = await stat(blob);
    response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' });
    await pipeline(createReadStream(blob), response);
  }
}

function blockFile(blob: string, id: string | null): string {
  return `${blob}.${Buffer.from(id ?? '').toString('hex')}`;
}

async function joinBlocks(blob: string, list: string): Promise<void> {
  for (const [, id = ''] of list.matchAll(/<(?:Latest|Uncommitted)>([^<]+)</g)) {
    await appendFile(blob, await readFile(blockFile(blob, id)));
  }
}
