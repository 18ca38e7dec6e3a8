import { posix } from 'node:path';
import { finished, type Readable } from 'node:stream';
import type { FileEntry } from '../contract/files.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { ArchiveChoice, GuestFiles } from '../guest/guest.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import { watchGuest } from './guest-watch.ts';
import type { HostContext } from './host-context.ts';
import type { FileService } from './host.ts';
import type { RunningSandbox } from './registry.ts';

const workspace = '/workspace';

/**
 * Files of running sandboxes, a bounded number of transfers at once for each. An operation whose guest stops answering fails with `guest-unresponsive`,
 * one whose sandbox is ended with `sandbox-gone`; it may take as long as it likes while the guest answers.
 */
export class LocalFiles implements FileService {
  readonly #host: HostContext;

  constructor(host: HostContext) {
    this.#host = host;
  }

  read(sandboxId: string, path: string): Promise<Readable> {
    return this.#streaming(sandboxId, (files, signal) => files.read(absolute(path), { signal }));
  }

  write(sandboxId: string, path: string, content: Readable, mode?: number): Promise<{ sizeBytes: number }> {
    const options = { parents: true, ...(mode === undefined ? {} : { mode }) };
    return this.#transfer(sandboxId, (files, signal) => files.write(absolute(path), content, { ...options, signal }));
  }

  list(sandboxId: string, path: string, recursive: boolean): Promise<FileEntry[]> {
    return this.#transfer(sandboxId, (files, signal) => files.list(absolute(path), { recursive, signal }));
  }

  stat(sandboxId: string, path: string): Promise<FileEntry> {
    return this.#transfer(sandboxId, (files, signal) => files.stat(absolute(path), { signal }));
  }

  extract(
    sandboxId: string,
    path: string,
    archive: Readable,
    owner?: string,
  ): Promise<{ entries: number; bytes: number; skipped: number }> {
    const options = owner === undefined ? {} : { owner };
    return this.#transfer(sandboxId, (files, signal) => files.extract(absolute(path), archive, { ...options, signal }));
  }

  archive(sandboxId: string, path: string, choice: ArchiveChoice): Promise<Readable> {
    return this.#streaming(sandboxId, (files, signal) => files.archive(absolute(path), { ...choice, signal }));
  }

  async #transfer<Result>(
    sandboxId: string,
    work: (files: GuestFiles, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const sandbox = this.#enter(sandboxId);
    const silent = new AbortController();
    const over = new AbortController();
    void watchGuest(this.#host, sandbox, over.signal, (error) => silent.abort(error));
    try {
      const working = work(sandbox.guest.files, silent.signal);
      return await untilAborted(AbortSignal.any([sandbox.ending.signal, silent.signal]), working);
    } finally {
      over.abort();
      sandbox.transfers -= 1;
    }
  }

  /** Counts until the stream has ended, however it does. */
  async #streaming(
    sandboxId: string,
    work: (files: GuestFiles, signal: AbortSignal) => Promise<Readable>,
  ): Promise<Readable> {
    const sandbox = this.#enter(sandboxId);
    const silent = new AbortController();
    const over = new AbortController();
    void watchGuest(this.#host, sandbox, over.signal, (error) => silent.abort(error));
    const leave = () => {
      over.abort();
      sandbox.transfers -= 1;
    };
    try {
      const working = work(sandbox.guest.files, silent.signal);
      const either = AbortSignal.any([sandbox.ending.signal, silent.signal]);
      const stream = await untilAborted(either, working, (late) => late.destroy());
      silent.signal.addEventListener('abort', () => stream.destroy(silent.signal.reason as Error));
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
