import { Readable } from 'node:stream';
import { tarEntries, type TarEntry } from '../../hostd/client/tar-entries.ts';
import { isOffshootError, OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { archiveBytes, fileLimits, mostEntries, variableOf, type FileName } from './limits.ts';
import { decodeFile, parseNamedValues, parsePathLines, type NamedValue } from './parse.ts';

/** What a step in the guest left in its file commands. */
export interface GuestFileCommands {
  outputs: NamedValue[];
  env: NamedValue[];
  /** Oldest first. */
  path: string[];
  /** As it was written. */
  summary: Buffer | undefined;
  /** What could not be used, and why; one sentence each. */
  warnings: string[];
}

/**
 * Reads the archive of a step's folder in the guest: regular files `output`, `env`, `path` and `summary` at its top. The guest made them, so nothing
 * else is taken and nothing is too large; it may also have removed them, or the folder: an empty archive sets nothing. Throws what the archive's
 * stream throws, and `guest-protocol` when it is damaged.
 */
export async function readFileCommands(archive: Readable): Promise<GuestFileCommands> {
  const { files, warnings } = await readFiles(archive);
  return {
    outputs: namedValues(files, 'output', warnings),
    env: namedValues(files, 'env', warnings),
    path: parsePathLines(decodeFile(files.get('path') ?? Buffer.alloc(0))),
    summary: files.get('summary'),
    warnings,
  };
}

function namedValues(files: Map<FileName, Buffer>, file: 'output' | 'env', warnings: string[]): NamedValue[] {
  const { entries, problem } = parseNamedValues(decodeFile(files.get(file) ?? Buffer.alloc(0)));
  if (problem !== undefined) warnings.push(`${variableOf[file]}: ${problem}; what follows in it was not merged.`);
  return entries;
}

interface Files {
  files: Map<FileName, Buffer>;
  warnings: string[];
}

class TooMuch extends Error {}

async function readFiles(archive: Readable): Promise<Files> {
  const found: Files = { files: new Map(), warnings: [] };
  const seen = new Set<FileName>();
  const ignored: string[] = [];
  const bounded = new Bounded(archive);
  try {
    let entries = 0;
    for await (const entry of tarEntries(Readable.from(bounded.chunks()))) {
      entries += 1;
      if (entries > mostEntries) throw new TooMuch();
      const name = entry.name.replace(/^\.\//, '').replace(/\/$/, '');
      if (isOurs(name) && entry.type === 'file' && !seen.has(name)) await readFile(name, entry, found);
      else if (name !== '' && name !== '.') ignored.push(name);
      if (isOurs(name) && entry.type === 'file') seen.add(name);
    }
  } catch (error) {
    if (error instanceof TooMuch) found.warnings.push(notRead(seen));
    else if (!isOffshootError(error) || error.code !== 'unsafe-archive') throw error;
    else if (bounded.bytes > 0) throw notWhole(error.message);
  }
  if (ignored.length > 0) found.warnings.push(`Not file commands, and left where they are: ${quoted(ignored)}.`);
  return found;
}

async function readFile(name: FileName, entry: TarEntry, { files, warnings }: Files): Promise<void> {
  const most = fileLimits[name];
  if (entry.sizeBytes <= most) {
    files.set(name, Buffer.concat(await Array.fromAsync(entry.content())));
    return;
  }
  const why = `${String(entry.sizeBytes)} bytes, more than the ${String(most)} that are taken`;
  warnings.push(`${variableOf[name]} holds ${why}; nothing of it was merged.`);
}

/** What comes from a guest ends somewhere. */
class Bounded {
  bytes = 0;
  readonly #archive: Readable;

  constructor(archive: Readable) {
    this.#archive = archive;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#archive) {
      const bytes = Buffer.from(chunk as Uint8Array);
      this.bytes += bytes.length;
      if (this.bytes > archiveBytes) throw new TooMuch();
      yield bytes;
    }
  }
}

function notRead(seen: ReadonlySet<FileName>): string {
  const missing = Object.entries(variableOf).filter(([name]) => isOurs(name) && !seen.has(name));
  const names = missing.map(([, variable]) => variable).join(', ');
  return `The folder of the file commands holds far more than its files may; not read: ${names}.`;
}

function isOurs(name: string): name is FileName {
  return Object.hasOwn(fileLimits, name);
}

function notWhole(reason: string): OffshootError {
  return new OffshootError('guest-protocol', {
    message: `The archive of the step's file commands is not whole: ${reason}.`,
  });
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  return shown.join(', ') + (names.length > shown.length ? ` and ${String(names.length - shown.length)} more` : '');
}
