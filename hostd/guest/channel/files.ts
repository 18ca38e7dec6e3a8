import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ArchiveChoice, GuestFileEntry, GuestFileOptions, GuestFiles } from '../guest.ts';
import type { Field } from '../protocol/fields.ts';
import { ProtocolViolation } from '../protocol/frame.ts';
import { parseCounts, parseFileEntry, parseListBlock } from '../protocol/results.ts';
import type { GuestChannel } from './channel.ts';
import { streamError } from './errors.ts';
import { flag, optional } from './open-fields.ts';
import { feed, finishTransfer, openTransfer, OutputReadable, type Transfer } from './transfer.ts';

const maxListBytes = 32 * 1024 * 1024;
const maxListEntries = 100_000;
const entriesPerTurn = 500;

/** File operations over the channel. */
export class ChannelFiles implements GuestFiles {
  readonly #channel: GuestChannel;

  constructor(channel: GuestChannel) {
    this.#channel = channel;
  }

  read(path: string, options: GuestFileOptions = {}): Promise<Readable> {
    return this.#download({ kind: 'read-file', path, parameters: [], signal: options.signal });
  }

  async archive(path: string, options: GuestFileOptions & Partial<ArchiveChoice> = {}): Promise<Readable> {
    // An agent that does not know a parameter passes it over, and would send everything.
    if (options.include?.length && this.#channel.hello?.capabilities.has('include') !== true) throw noInclude(path);
    const includes = (options.include ?? []).map((pattern): Field => ['include', pattern]);
    const excludes = (options.exclude ?? []).map((pattern): Field => ['exclude', pattern]);
    const parameters = [...includes, ...excludes, ...flag('sparse', options.sparse)];
    return this.#download({ kind: 'tar-out', path, parameters, signal: options.signal });
  }

  async write(
    path: string,
    content: Readable,
    options: GuestFileOptions & { mode?: number; parents?: boolean } = {},
  ): Promise<{ sizeBytes: number }> {
    const parameters = [...optional('mode', options.mode?.toString(8)), ...flag('parents', options.parents)];
    const texts = await this.#upload({ kind: 'write-file', path, parameters, signal: options.signal }, content);
    return { sizeBytes: checked(() => parseCounts(texts)).size };
  }

  async extract(
    path: string,
    archive: Readable,
    options: GuestFileOptions & { owner?: string } = {},
  ): Promise<{ entries: number; bytes: number; skipped: number }> {
    const parameters = optional('owner', options.owner);
    const texts = await this.#upload({ kind: 'tar-in', path, parameters, signal: options.signal }, archive);
    const { entries, bytes, skipped } = checked(() => parseCounts(texts));
    return { entries, bytes, skipped };
  }

  async stat(path: string, options: GuestFileOptions = {}): Promise<GuestFileEntry> {
    const transfer: Transfer = { kind: 'stat', path, parameters: [], signal: options.signal };
    const stream = openTransfer(this.#channel, transfer, () => undefined);
    const texts = await finishTransfer(stream, transfer);
    return checked(() => parseFileEntry(texts));
  }

  async list(path: string, options: GuestFileOptions & { recursive?: boolean } = {}): Promise<GuestFileEntry[]> {
    const parameters = flag('recursive', options.recursive);
    const transfer: Transfer = { kind: 'list', path, parameters, signal: options.signal };
    const parts: Buffer[] = [];
    let receivedBytes = 0;
    const stream = openTransfer(this.#channel, transfer, (_channel, _offset, bytes) => {
      receivedBytes += bytes.length;
      if (receivedBytes > maxListBytes) throw tooManyEntries(path);
      parts.push(Buffer.from(bytes));
      return undefined;
    });
    await finishTransfer(stream, transfer);
    return parseList(Buffer.concat(parts), path);
  }

  async #upload(transfer: Transfer, content: Readable): Promise<Record<string, string>> {
    const stream = openTransfer(this.#channel, transfer, () => undefined);
    feed(content, stream);
    return finishTransfer(stream, transfer);
  }

  async #download(transfer: Transfer): Promise<Readable> {
    const output = new OutputReadable();
    let begun: () => void = () => undefined;
    const firstBytes = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const stream = openTransfer(this.#channel, transfer, (channel, offset, bytes) => {
      begun();
      return output.consume(channel, offset, bytes);
    });
    output.onDestroy(() => stream.close());
    const finished = finishTransfer(stream, transfer);
    finished.then(
      () => output.push(null),
      (error: unknown) => output.destroy(error as Error),
    );
    output.on('error', () => undefined);
    await Promise.race([firstBytes, finished]);
    return output;
  }
}

/** The blocks of a list, parsed a few hundred to a turn of the event loop: a hostile guest can send a hundred thousand. */
async function parseList(bytes: Buffer, path: string): Promise<GuestFileEntry[]> {
  const entries: GuestFileEntry[] = [];
  for (let position = 0; position < bytes.length;) {
    const start = position + 4;
    const end = start <= bytes.length ? start + bytes.readUInt32LE(position) : Infinity;
    if (end > bytes.length) throw streamError(new ProtocolViolation('a list entry is cut short'));
    if (entries.length === maxListEntries) throw tooManyEntries(path);
    const block = bytes.subarray(start, end);
    entries.push(checked(() => parseListBlock(block)));
    position = end;
    if (entries.length % entriesPerTurn === 0) await nextTurn();
  }
  return entries;
}

function checked<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw streamError(error);
  }
}

function noInclude(path: string): OffshootError {
  return new OffshootError('guest-file-error', {
    message: 'The agent of this sandbox is of an older Offshoot and can not choose files by include globs.',
    hint: 'Download without include. Sandboxes of snapshots keep their agent: take the snapshot anew.',
    details: { reason: 'unknown-parameter', parameter: 'include', path },
  });
}

function tooManyEntries(path: string): OffshootError {
  return new OffshootError('guest-file-error', {
    message: `${path} has too many entries to list at once.`,
    hint: `Up to ${String(maxListEntries)} entries can be listed; list sub-folders, or download an archive.`,
    details: { reason: 'too-many-entries', path },
  });
}
