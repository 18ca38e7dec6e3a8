import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Parser } from 'tar';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
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

async function readFiles(archive: Readable): Promise<Files> {
  const tar = await import('tar');
  const files = new Map<FileName, Buffer>();
  const warnings: string[] = [];
  const seen = new Set<FileName>();
  const settled = new Set<FileName>();
  const ignored: string[] = [];
  const broken: string[] = [];
  let entries = 0;
  const parser = new tar.Parser({
    brotli: false,
    zstd: false,
    onwarn: (code, message) => {
      if (code !== 'TAR_ENTRY_INFO' && code !== 'TAR_ENTRY_UNSUPPORTED') broken.push(String(message));
    },
    onReadEntry: (entry) => {
      entries += 1;
      const name = entry.path.replace(/^\.\//, '');
      if (isOurs(name) && entry.type === 'File' && !seen.has(name)) {
        seen.add(name);
        if (entry.size <= fileLimits[name]) {
          const chunks: Buffer[] = [];
          entry.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
          entry.on('end', () => {
            files.set(name, Buffer.concat(chunks));
            settled.add(name);
          });
          return;
        }
        const most = `${String(entry.size)} bytes, more than the ${String(fileLimits[name])} that are taken`;
        settled.add(name);
        warnings.push(`${variableOf[name]} holds ${most}; nothing of it was merged.`);
      } else if (name !== '' && name !== '.') {
        ignored.push(name);
      }
      entry.resume();
    },
  });
  const how = await feed(archive, parser, () => entries > mostEntries);
  if (broken.length > 0 && how === 'whole') throw notWhole(broken[0] ?? '');
  if (how === 'given-up') {
    const missing = Object.entries(variableOf).filter(([name]) => isOurs(name) && !settled.has(name));
    const names = missing.map(([, variable]) => variable).join(', ');
    warnings.push(`The folder of the file commands holds far more than its files may; not read: ${names}.`);
  }
  if (ignored.length > 0) warnings.push(`Not file commands, and left where they are: ${quoted(ignored)}.`);
  return { files, warnings };
}

/** `blank`: nothing, or the zeros that end an archive. `given-up`: there is too much of it. */
async function feed(
  archive: Readable,
  parser: Parser,
  tooMany: () => boolean,
): Promise<'whole' | 'blank' | 'given-up'> {
  let total = 0;
  let isBlank = true;
  for await (const chunk of archive) {
    const bytes = Buffer.from(chunk as Uint8Array);
    if (total === 0 && bytes[0] === 0x1f) throw notWhole('it is compressed'); // the parser would unpack it, to any size
    total += bytes.length;
    isBlank &&= bytes.every((byte) => byte === 0);
    if (total > archiveBytes || tooMany()) return 'given-up'; // leaving the loop destroys the stream
    parser.write(bytes);
  }
  if (isBlank) return 'blank'; // the parser takes it for no archive
  const ended = once(parser, 'end');
  parser.end();
  await ended;
  return 'whole';
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
