import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  extractResultSchema,
  fileEntrySchema,
  fileListSchema,
  writeResultSchema,
  type FileEntry,
} from '../contract/files.ts';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import { packFolder, unpackInto } from './archives.ts';
import { chosenBy, expandBraces } from './globs.ts';
import { isConnectionLoss, type Transport } from './transport.ts';

export interface UploadOptions {
  /** Globs on the path relative to the folder that are left out. */
  exclude?: readonly string[];
  /** `uid:gid` that owns everything in the sandbox; default: as on this machine. */
  owner?: string;
  signal?: AbortSignal;
}

export interface DownloadOptions {
  /**
   * Globs on the path relative to the folder; only what matches comes. `*`, `?` and `[...]` stay within one name, `**` is any number of folders,
   * `{a,b}` either; a folder brings all beneath it; a leading `!` takes away. Default: everything.
   */
  include?: readonly string[];
  /** Globs on the path relative to the folder, in which `*` also matches `/`. */
  exclude?: readonly string[];
  signal?: AbortSignal;
}

/** Files of one sandbox. Paths in the sandbox are absolute or relative to /workspace. */
export class SandboxFiles {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, sandboxId: string) {
    this.#transport = transport;
    this.#path = `/v1/sandboxes/${sandboxId}/files`;
  }

  /** The whole file in memory. */
  async read(file: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await this.readStream(file)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  async readText(file: string): Promise<string> {
    return (await this.read(file)).toString('utf8');
  }

  async readStream(file: string, options: { signal?: AbortSignal } = {}): Promise<Readable> {
    const answer = await this.#transport.send({
      method: 'GET',
      path: this.#path,
      query: { path: inSandbox(file) },
      signal: options.signal,
    });
    return answer.body;
  }

  /** Writes the file whole or not at all; folders above it are made. */
  async write(
    file: string,
    content: string | Buffer | Readable,
    options: { mode?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#transport.json(writeResultSchema, {
      method: 'PUT',
      path: this.#path,
      query: { path: inSandbox(file), mode: options.mode?.toString(8) },
      body: content instanceof Readable ? content : Buffer.from(content),
      headers: { 'content-type': 'application/octet-stream' },
      timeoutMs: 0,
      signal: options.signal,
    });
  }

  async list(folder: string, options: { recursive?: boolean } = {}): Promise<FileEntry[]> {
    const query = { path: inSandbox(folder), recursive: options.recursive };
    const answer = await this.#transport.json(fileListSchema, { method: 'GET', path: `${this.#path}/list`, query });
    return answer.entries;
  }

  async stat(file: string): Promise<FileEntry> {
    return this.#transport.json(fileEntrySchema, {
      method: 'GET',
      path: `${this.#path}/stat`,
      query: { path: inSandbox(file) },
    });
  }

  /** Sends a file, or a folder's content, to a path of the sandbox. */
  async upload(local: string, remote: string, options: UploadOptions = {}): Promise<void> {
    const found = await stat(local).catch((error: unknown) => {
      throw new OffshootError('local-file-error', { message: `${local} can not be read.`, cause: error });
    });
    if (!found.isDirectory()) {
      await this.write(remote, createReadStream(local), { mode: found.mode & 0o7777, ...signalOf(options) });
      return;
    }
    await this.uploadArchive(packFolder(local, options.exclude ?? []), remote, options);
  }

  /** Unpacks a tar archive into a folder of the sandbox. */
  async uploadArchive(
    archive: Readable,
    remote: string,
    options: UploadOptions = {},
  ): Promise<{ entries: number; bytes: number; skipped: number }> {
    return this.#transport.json(extractResultSchema, {
      method: 'PUT',
      path: `${this.#path}/archive`,
      query: { path: inSandbox(remote), owner: options.owner },
      body: archive,
      headers: { 'content-type': 'application/x-tar' },
      timeoutMs: 0,
      signal: options.signal,
    });
  }

  /** Brings a file, or a folder's content, to a path of this machine. Owners and devices do not come along. */
  async download(remote: string, local: string, options: DownloadOptions = {}): Promise<void> {
    const entry = await this.stat(remote);
    if (entry.type === 'directory') {
      await mkdir(local, { recursive: true });
      const include = (options.include ?? []).flatMap(expandBraces);
      const archive = await this.downloadArchive(remote, { ...options, include });
      await unpackInto(archive, local, { wanted: chosenBy(include) }).catch((error: unknown) => {
        throw brokenOff(error, remote);
      });
      return;
    }
    const target = (await isFolder(local)) ? path.join(local, path.basename(entry.name)) : local;
    const partial = `${target}.offshoot-partial`;
    try {
      await pipeline(
        await this.readStream(remote, signalOf(options)),
        createWriteStream(partial, { mode: entry.mode & 0o777 }),
      );
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** A folder of the sandbox, or what globs choose of it, as a tar archive. A stream that fails was cut off on its way. */
  async downloadArchive(remote: string, options: DownloadOptions = {}): Promise<Readable> {
    const answer = await this.#transport.send({
      method: 'GET',
      path: `${this.#path}/archive`,
      query: {
        path: inSandbox(remote),
        include: options.include?.flatMap(expandBraces),
        exclude: options.exclude,
      },
      signal: options.signal,
    });
    return answer.body;
  }
}

function inSandbox(file: string): string {
  return file.startsWith('/') ? file : path.posix.join('/workspace', file);
}

/** What a transfer that failed half way is to be called. */
export function brokenOff(error: unknown, remote: string): unknown {
  if (isOffshootError(error) || !isConnectionLoss(error)) return error;
  return new OffshootError('host-unreachable', {
    message: `The transfer of ${remote} was broken off: the connection ended, or reading failed in the sandbox.`,
    cause: error,
  });
}

function signalOf(options: { signal?: AbortSignal }): { signal?: AbortSignal } {
  return options.signal === undefined ? {} : { signal: options.signal };
}

async function isFolder(local: string): Promise<boolean> {
  return stat(local).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
