import { posix } from 'node:path';
import { finished, type Readable } from 'node:stream';
import type { FileEntry } from '../contract/files.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { ArchiveChoice, GuestFiles } from '../guest/guest.ts';
import type { HostContext } from './host-context.ts';
import type { FileService } from './host.ts';
import type { RunningSandbox } from './registry.ts';

const workspace = '/workspace';

/** Files of running sandboxes, a bounded number of transfers at once for each. */
export class LocalFiles implements FileService {
  readonly #host: HostContext;

  constructor(host: HostContext) {
    this.#host = host;
  }

  read(sandboxId: string, path: string): Promise<Readable> {
    return this.#streaming(sandboxId, (files) => files.read(absolute(path)));
  }

  write(sandboxId: string, path: string, content: Readable, mode?: number): Promise<{ sizeBytes: number }> {
    const options = { parents: true, ...(mode === undefined ? {} : { mode }) };
    return this.#transfer(sandboxId, (files) => files.write(absolute(path), content, options));
  }

  list(sandboxId: string, path: string, recursive: boolean): Promise<FileEntry[]> {
    return this.#transfer(sandboxId, (files) => files.list(absolute(path), { recursive }));
  }

  stat(sandboxId: string, path: string): Promise<FileEntry> {
    return this.#transfer(sandboxId, (files) => files.stat(absolute(path)));
  }

  extract(
    sandboxId: string,
    path: string,
    archive: Readable,
    owner?: string,
  ): Promise<{ entries: number; bytes: number; skipped: number }> {
    const options = owner === undefined ? {} : { owner };
    return this.#transfer(sandboxId, (files) => files.extract(absolute(path), archive, options));
  }

  archive(sandboxId: string, path: string, choice: ArchiveChoice): Promise<Readable> {
    return this.#streaming(sandboxId, (files) => files.archive(absolute(path), choice));
  }

  async #transfer<Result>(sandboxId: string, work: (files: GuestFiles) => Promise<Result>): Promise<Result> {
    const sandbox = this.#enter(sandboxId);
    try {
      return await work(sandbox.guest.files);
    } finally {
      sandbox.transfers -= 1;
    }
  }

  /** Counts until the stream has ended, however it does. */
  async #streaming(sandboxId: string, work: (files: GuestFiles) => Promise<Readable>): Promise<Readable> {
    const sandbox = this.#enter(sandboxId);
    const leave = () => {
      sandbox.transfers -= 1;
    };
    try {
      const stream = await work(sandbox.guest.files);
      finished(stream, leave);
      return stream;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #enter(sandboxId: string): RunningSandbox {
    const sandbox = this.#host.registry.running(sandboxId);
    const limit = this.#host.config.maxTransfersPerSandbox;
    if (sandbox.transfers >= limit) {
      throw new OffshootError('too-many-streams', {
        message: `The sandbox ${sandboxId} has ${String(limit)} transfers under way, its most.`,
        details: { limit },
      });
    }
    sandbox.transfers += 1;
    return sandbox;
  }
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : posix.join(workspace, '/') + path;
}
