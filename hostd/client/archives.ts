import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { OffshootError } from '../errors/offshoot-error.ts';
import { shown } from './entry-paths.ts';
import { settle } from './settle.ts';
import { unpackFresh, type Unpacked, type UnpackOptions } from './unpack.ts';

/**
 * A folder's content as a tar stream, by the system's own tar: it keeps holes, hard links and odd names that pure JavaScript packers lose.
 * The stream errors with `local-file-error` when something can't be read.
 */
export function packFolder(folder: string, exclude: readonly string[]): Readable {
  const excluded = exclude.map((glob) => `--exclude=./${glob.replace(/^\.?\//, '')}`);
  const child = spawn(
    'tar',
    ['-C', folder, '--sparse', '--format=pax', '--numeric-owner', ...excluded, '-cf', '-', '.'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', TAR_OPTIONS: '' },
    },
  );
  const complaints: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaints.length < 20) complaints.push(chunk);
  });
  const archive = new PassThrough({ highWaterMark: 256 * 1024 });
  const fail = (message: string): void => {
    archive.destroy(new OffshootError('local-file-error', { message }));
  };
  child.on('error', (error) => {
    fail(`tar could not be started: ${error.message}`);
  });
  child.stdout.pipe(archive, { end: false });
  child.on('close', (code) => {
    // 1 is "a file changed as we read it": a live folder may do that
    if (code === 0 || code === 1) archive.end();
    else fail(`${folder} could not be packed: ${Buffer.concat(complaints).toString('utf8').trim().slice(0, 500)}`);
  });
  archive.on('close', () => {
    if (child.exitCode === null) child.kill('SIGKILL');
  });
  return archive;
}

/**
 * Unpacks an archive that a guest made into a folder, by the rules of `unpackFresh`. What is there already is replaced, but no folder by a file or the
 * other way round, and nothing is written through a link. When it fails nothing of the archive is there. Throws `unsafe-archive` when it is damaged
 * or beyond the bounds, `local-file-error`; what broke the stream is thrown as it is.
 */
export async function unpackSound(archive: Readable, folder: string, options: UnpackOptions = {}): Promise<Unpacked> {
  archive.on('error', () => undefined); // seen by the reading; it may come before that begins
  const { result, unplaced } = await settle(folder, (fresh) => unpackFresh(archive, fresh, options));
  const isPlaced = (file: string): boolean =>
    !unplaced.some(({ name }) => file === name || file.startsWith(`${name}/`));
  return {
    files: result.files.filter(isPlaced),
    bytes: result.bytes,
    refused: [...result.refused, ...unplaced.map(({ name, why }) => `${shown(name)} ${why}`)],
  };
}

/** As `unpackSound`, but throws `unsafe-archive` also when entries were refused; the others are there all the same. */
export async function unpackInto(archive: Readable, folder: string, options: UnpackOptions = {}): Promise<void> {
  const { refused } = await unpackSound(archive, folder, options);
  if (refused.length === 0) return;
  throw new OffshootError('unsafe-archive', {
    message: `${String(refused.length)} entries were refused: ${refused[0] ?? ''}`,
    details: { refused: refused.slice(0, 20) },
  });
}
