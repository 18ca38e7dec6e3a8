import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OffshootError } from '../errors/offshoot-error.ts';

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
      env: { ...process.env, LC_ALL: 'C' },
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
 * Unpacks an archive that a guest made, so nothing in it is trusted: entries stay beneath the folder, devices and FIFOs are skipped, owners and set-id
 * bits dropped. Throws `unsafe-archive` or `local-file-error`.
 */
export async function unpackInto(archive: Readable, folder: string): Promise<void> {
  const { extract } = await import('tar');
  const refused: string[] = [];
  const unpack = extract({
    cwd: folder,
    preserveOwner: false,
    processUmask: 0o022,
    strict: false,
    onwarn: (code, message) => {
      if (code === 'TAR_ENTRY_ERROR' || code === 'TAR_ABORT' || code === 'TAR_BAD_ARCHIVE')
        refused.push(String(message));
    },
    onReadEntry: (entry) => {
      if (entry.mode !== undefined) entry.mode &= 0o777;
    },
  });
  try {
    await pipeline(archive, unpack);
  } catch (error) {
    throw new OffshootError('local-file-error', {
      message: `The archive could not be unpacked into ${folder}: ${error instanceof Error ? error.message : String(error)}`,
      cause: error,
    });
  }
  if (refused.length === 0) return;
  throw new OffshootError('unsafe-archive', {
    message: `${String(refused.length)} entries were refused: ${refused[0] ?? ''}`,
    details: { refused: refused.slice(0, 20) },
  });
}
