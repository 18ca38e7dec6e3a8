import { mkdirSync, linkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { OffshootError } from '../errors/offshoot-error.ts';
import { NotWritten, smallBytes, writeLarge, writeSmall } from './entry-files.ts';
import { cleanPath, linkProblem, shown } from './entry-paths.ts';
import { tarEntries, type TarEntry } from './tar-entries.ts';

const maxRefusals = 1000;
/** Failures of this machine's file system that are the name's fault. */
const unfitNames: Partial<Record<string, string>> = {
  ENAMETOOLONG: 'is too long a name for this machine',
  EEXIST: 'has the name of another one here, where letter case does not count',
};

export interface UnpackOptions {
  /** Entries for which this is false are refused: a hostile guest may send what was not asked for. */
  wanted?: (path: string, type: TarEntry['type']) => boolean;
  /** Files, folders and links together. */
  maxEntries?: number;
  maxBytes?: number;
}

export interface Unpacked {
  /** Paths of files and links beneath the folder. */
  files: string[];
  bytes: number;
  /** Each a name, quoted, and why. At most 1000 are kept. */
  refused: string[];
}

/**
 * Unpacks an archive that a guest made into a new, empty folder. Nothing in it is trusted: no entry is written through a link, because links are made
 * last; links stay when they lead nowhere outside; devices, FIFOs and set-id bits do not come along; all is owned by the caller and readable.
 * Throws `unsafe-archive` when it is damaged or beyond the bounds, `local-file-error` when this machine can't write it.
 */
export async function unpackFresh(archive: Readable, folder: string, options: UnpackOptions = {}): Promise<Unpacked> {
  const unpacking = new Unpacking(folder, options);
  for await (const entry of tarEntries(archive)) await unpacking.take(entry);
  return unpacking.finish();
}

class Unpacking {
  readonly #folder: string;
  readonly #options: UnpackOptions;
  readonly #made = new Map<string, 'file' | 'folder'>();
  readonly #symlinks = new Map<string, string>();
  readonly #result: Unpacked = { files: [], bytes: 0, refused: [] };
  #entries = 0;
  #sentBytes = 0;

  constructor(folder: string, options: UnpackOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async take(entry: TarEntry): Promise<void> {
    this.#count(entry);
    const cleaned = cleanPath(entry);
    if ('problem' in cleaned) {
      this.#refuse(entry.name, cleaned.problem);
      return;
    }
    const { name } = cleaned;
    if (name === '') return;
    if (this.#options.wanted?.(name, entry.type) === false) {
      // folders above what was asked for come along and are made when something needs them
      if (entry.type !== 'directory') this.#refuse(name, 'was not asked for');
      return;
    }
    try {
      const problem = await this.#make(name, entry);
      if (problem !== undefined) this.#refuse(name, problem);
    } catch (error) {
      const why = unfitNames[String(codeOf(error))];
      if (why === undefined) throw error;
      this.#refuse(name, why);
    }
  }

  finish(): Unpacked {
    for (const [name, target] of this.#symlinks) {
      const problem = this.#made.has(name) ? 'is there twice' : this.#prepare(name);
      if (problem === undefined) {
        this.#local(name, () => {
          symlinkSync(target, path.join(this.#folder, name));
        });
        this.#keepFile(name);
      } else this.#refuse(name, problem);
    }
    return this.#result;
  }

  async #make(name: string, entry: TarEntry): Promise<string | undefined> {
    if (entry.type === 'directory') return this.#makeFolder(name);
    if (entry.type === 'symlink') return this.#keepLink(name, entry.target);
    if (entry.type === 'other') return 'is neither a file nor a folder nor a link';
    const problem = this.#made.has(name) || this.#symlinks.has(name) ? 'is there twice' : this.#prepare(name);
    if (problem !== undefined) return problem;
    if (entry.type === 'hard-link') return this.#makeHardLink(name, entry);
    await this.#writeFile(name, entry);
    return undefined;
  }

  #keepLink(name: string, target: string): string | undefined {
    if (this.#made.has(name) || this.#symlinks.has(name)) return 'is there twice';
    const problem = linkProblem(name, target);
    if (problem === undefined) this.#symlinks.set(name, target);
    return problem;
  }

  /** Makes the folders above. */
  #prepare(name: string): string | undefined {
    const above = path.posix.dirname(name);
    return above === '.' ? undefined : this.#makeFolder(above);
  }

  #makeFolder(name: string): string | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known === 'folder' ? undefined : 'needs a folder where a file is';
    const problem = this.#prepare(name);
    if (problem !== undefined) return problem;
    this.#local(name, () => {
      mkdirSync(path.join(this.#folder, name), { mode: 0o755 });
    });
    this.#made.set(name, 'folder');
    return undefined;
  }

  #makeHardLink(name: string, entry: TarEntry): string | undefined {
    const target = cleanPath({ name: entry.target, nameIsText: entry.nameIsText });
    if ('problem' in target || this.#made.get(target.name) !== 'file') return 'is a link to what did not come';
    this.#local(name, () => {
      linkSync(path.join(this.#folder, target.name), path.join(this.#folder, name));
    });
    this.#keepFile(name);
    return undefined;
  }

  async #writeFile(name: string, entry: TarEntry): Promise<void> {
    const file = path.join(this.#folder, name);
    // others may not write, whatever the guest says, and the owner may read
    const mode = (entry.mode & 0o755) | 0o400;
    await (entry.sizeBytes <= smallBytes ? writeSmall(file, mode, entry) : writeLarge(file, mode, entry)).catch(
      (error: unknown) => {
        throw error instanceof NotWritten ? localFailure(name, error.cause) : error;
      },
    );
    this.#result.bytes += entry.sizeBytes;
    this.#keepFile(name);
  }

  #keepFile(name: string): void {
    this.#made.set(name, 'file');
    this.#result.files.push(name);
  }

  #count(entry: TarEntry): void {
    const { maxEntries = Infinity, maxBytes = Infinity } = this.#options;
    this.#entries += 1;
    if (this.#entries > maxEntries) throw beyond(`more than ${String(maxEntries)} entries`);
    this.#sentBytes += entry.sizeBytes;
    if (this.#sentBytes > maxBytes) throw beyond(`more than ${String(maxBytes)} bytes`);
  }

  #refuse(name: string, why: string): void {
    if (this.#result.refused.length < maxRefusals) this.#result.refused.push(`${shown(name)} ${why}`);
  }

  #local(name: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      throw localFailure(name, error);
    }
  }
}

function beyond(what: string): OffshootError {
  return new OffshootError('unsafe-archive', {
    message: `The archive has ${what}.`,
    hint: 'Ask for less of it, or pack it into one file in the sandbox.',
  });
}

function localFailure(name: string, error: unknown): unknown {
  if (String(codeOf(error)) in unfitNames) return error;
  return new OffshootError('local-file-error', {
    message: `${shown(name)} could not be written: ${error instanceof Error ? error.message : String(error)}`,
    cause: error,
  });
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
