import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Header, Parser, type ReadEntry } from 'tar';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { GuestFileEntry, GuestFiles } from '../guest.ts';

/** One file of a fake machine; folders exist as the paths above files. */
export interface FakeFile {
  content: Buffer;
  mode: number;
  mtimeMs: number;
}

/** File operations on a map from absolute path to content: regular files only. `fault` may throw before each operation. */
export class FakeFiles implements GuestFiles {
  readonly #files: Map<string, FakeFile>;
  readonly #fault: (operation: keyof GuestFiles, path: string) => Promise<void>;

  constructor(files: Map<string, FakeFile>, fault: (operation: keyof GuestFiles, path: string) => Promise<void>) {
    this.#files = files;
    this.#fault = fault;
  }

  async read(path: string): Promise<Readable> {
    await this.#fault('read', path);
    return Readable.from([this.#file(path).content], { objectMode: false });
  }

  async write(path: string, content: Readable, options: { mode?: number; parents?: boolean } = {}) {
    await this.#fault('write', path);
    const bytes = await buffer(content).catch((cause: unknown) => {
      throw new OffshootError('aborted', { cause });
    });
    this.#files.set(path, { content: bytes, mode: options.mode ?? 0o644, mtimeMs: Date.now() });
    return { sizeBytes: bytes.length };
  }

  async list(path: string, options: { recursive?: boolean } = {}): Promise<GuestFileEntry[]> {
    await this.#fault('list', path);
    const beneath = this.#beneath(path);
    if (beneath.length === 0) throw notFound(path);
    const names = new Set<string>();
    for (const name of beneath) {
      const parts = name.split('/');
      const depth = options.recursive === true ? parts.length : 1;
      for (let length = 1; length <= depth; length += 1) names.add(parts.slice(0, length).join('/'));
    }
    return [...names].sort().map((name) => this.#entry(name, posix.join(path, name)));
  }

  async stat(path: string): Promise<GuestFileEntry> {
    await this.#fault('stat', path);
    if (!this.#files.has(path) && this.#beneath(path).length === 0) throw notFound(path);
    return this.#entry(posix.basename(path), path);
  }

  async extract(path: string, archive: Readable) {
    await this.#fault('extract', path);
    let entries = 0;
    let bytes = 0;
    const reads: Promise<void>[] = [];
    const parser = new Parser({
      onReadEntry: (entry: ReadEntry) => {
        entries += 1;
        if (entry.type === 'Directory') {
          entry.resume();
          return;
        }
        const target = posix.resolve(path, entry.path);
        if (!target.startsWith(posix.join(path, '/'))) throw new OffshootError('unsafe-archive');
        reads.push(
          entry.concat().then((content) => {
            bytes += content.length;
            this.#files.set(target, { content, mode: entry.mode ?? 0o644, mtimeMs: entry.mtime?.getTime() ?? 0 });
          }),
        );
      },
    });
    for await (const chunk of archive) parser.write(chunk as Buffer);
    parser.end();
    await Promise.all(reads);
    return { entries, bytes, skipped: 0 };
  }

  async archive(path: string): Promise<Readable> {
    await this.#fault('archive', path);
    const names = this.#files.has(path) ? [''] : this.#beneath(path);
    if (names.length === 0) throw notFound(path);
    const blocks = names.flatMap((name) => {
      const file = this.#file(posix.join(path, name));
      const header = new Header({
        path: name === '' ? posix.basename(path) : name,
        mode: file.mode,
        size: file.content.length,
        mtime: new Date(file.mtimeMs),
        type: 'File',
      });
      const block = Buffer.alloc(512);
      header.encode(block);
      return [block, file.content, Buffer.alloc((512 - (file.content.length % 512)) % 512)];
    });
    return Readable.from(
      [...blocks, Buffer.alloc(1024)].filter((block) => block.length > 0),
      { objectMode: false },
    );
  }

  #file(path: string): FakeFile {
    const file = this.#files.get(path);
    if (file === undefined) throw notFound(path);
    return file;
  }

  #beneath(path: string): string[] {
    const prefix = posix.join(path, '/');
    return [...this.#files.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  #entry(name: string, path: string): GuestFileEntry {
    const file = this.#files.get(path);
    return {
      name,
      type: file === undefined ? 'directory' : 'file',
      sizeBytes: file?.content.length ?? 4096,
      mode: file?.mode ?? 0o755,
      uid: 0,
      gid: 0,
      mtimeMs: file?.mtimeMs ?? 0,
    };
  }
}

function notFound(path: string): OffshootError {
  return new OffshootError('guest-file-not-found', { message: `${path}: no such file`, details: { path } });
}
