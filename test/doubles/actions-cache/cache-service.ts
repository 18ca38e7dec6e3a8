import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { BlobStore } from './blob-store.ts';

const entrySchema = z.object({ key: z.string(), version: z.string() });
const askSchema = entrySchema.extend({ restore_keys: z.array(z.string()).default([]) });
const finalizeSchema = entrySchema.extend({ size_bytes: z.coerce.number() });
const servicePath = '/twirp/github.actions.results.api.v1.CacheService/';

interface Entry {
  key: string;
  version: string;
  blob: string;
  finalized: boolean;
}

/**
 * The cache service of GitHub Actions, version 2, as @actions/cache 6 speaks to it: Twirp calls in JSON, and the part of the blob storage
 * behind signed addresses that the library uses. Entries never change once they are whole. `environment` is what a job gets of it.
 */
export class CacheService implements AsyncDisposable {
  readonly entries: Entry[] = [];
  /** Names of the calls that were made, oldest first. */
  readonly calls: string[] = [];
  /** Finds entries of other versions too: the version covers the path of the cached folder, which some runners choose anew for every job. */
  anyVersion = false;
  /** Answers every call with this status instead, when set. */
  failure: number | undefined;
  readonly #token = randomUUID();
  readonly #blobs: BlobStore;
  readonly #server: Server;

  private constructor(folder: string) {
    this.#blobs = new BlobStore(folder);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(JSON.stringify({ msg: String(error) }));
      });
    });
  }

  /** Keeps what is saved in `folder`. */
  static async start(folder: string): Promise<CacheService> {
    const service = new CacheService(folder);
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get environment(): Record<string, string> {
    return {
      ACTIONS_CACHE_SERVICE_V2: 'True',
      ACTIONS_RESULTS_URL: `${this.#origin}/`,
      ACTIONS_RUNTIME_TOKEN: this.#token,
    };
  }

  /** Changes one byte of what is stored for a key. */
  async damage(key: string): Promise<void> {
    const entry = this.entries.find((candidate) => candidate.key === key);
    if (entry === undefined) throw new Error(`nothing is stored for ${key}`);
    await this.#blobs.damage(entry.blob);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #origin(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#origin);
    if (url.pathname.startsWith('/blobs/')) return this.#blobs.answer(request, response, url);
    const call = url.pathname.slice(servicePath.length);
    this.calls.push(call);
    const body = await text(request);
    if (this.failure !== undefined) return json(response, this.failure, { code: 'internal', msg: 'out of order' });
    if (request.headers.authorization !== `Bearer ${this.#token}`)
      return json(response, 401, { code: 'unauthenticated', msg: 'a wrong token' });
    const asked: unknown = JSON.parse(body);
    switch (call) {
      case 'CreateCacheEntry':
        return this.#create(response, entrySchema.parse(asked));
      case 'FinalizeCacheEntryUpload':
        return this.#finalize(response, finalizeSchema.parse(asked));
      case 'GetCacheEntryDownloadURL':
        return this.#find(response, askSchema.parse(asked));
      default:
        return json(response, 404, { code: 'bad_route', msg: url.pathname });
    }
  }

  #create(response: ServerResponse, { key, version }: z.output<typeof entrySchema>): void {
    if (this.entries.some((entry) => entry.key === key && entry.version === version))
      return json(response, 409, { code: 'already_exists', msg: 'there is an entry with this key and version' });
    const blob = randomUUID();
    this.entries.push({ key, version, blob, finalized: false });
    json(response, 200, { ok: true, signed_upload_url: this.#address(blob) });
  }

  async #finalize(response: ServerResponse, asked: z.output<typeof finalizeSchema>): Promise<void> {
    const entry = this.entries.find(({ key, version }) => key === asked.key && version === asked.version);
    if (entry === undefined || (await this.#blobs.sizeBytes(entry.blob)) !== asked.size_bytes)
      return json(response, 400, { code: 'invalid_argument', msg: 'it was not uploaded whole' });
    entry.finalized = true;
    json(response, 200, { ok: true, entry_id: String(this.entries.indexOf(entry) + 1) });
  }

  #find(response: ServerResponse, { key, restore_keys, version }: z.output<typeof askSchema>): void {
    const usable = this.entries.filter((entry) => entry.finalized && (this.anyVersion || entry.version === version));
    const found =
      usable.find((entry) => entry.key === key) ??
      usable.findLast((entry) => restore_keys.some((prefix) => entry.key.startsWith(prefix)));
    if (found === undefined) return json(response, 200, { ok: false });
    json(response, 200, { ok: true, signed_download_url: this.#address(found.blob), matched_key: found.key });
  }

  #address(blob: string): string {
    return `${this.#origin}/blobs/${blob}?sig=${randomUUID()}`;
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
