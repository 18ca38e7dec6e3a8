import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { OffshootError } from '../errors/offshoot-error.ts';

export interface NamedFiles {
  folder: string;
  /** Relative to the folder, a character for each byte (`latin1`), so that names that are no UTF-8 stay what they are. Folders are not entered. */
  names: readonly string[];
}

const vanished = /: Cannot (?:stat|open|readlink)[^:]*: No such file or directory$/;
const changed =
  /: (?:file changed as we read it|File shrank by \d+ bytes?; padding with zeros|File removed before we read it)$/;
const saysNothing = /: socket ignored$|^tar: Exiting with failure status due to previous errors$/;

export interface PackOptions {
  /** An empty folder for lists of names, which tar can't take from a socket; the caller removes it when the stream has closed. */
  scratch: string;
  /** What vanishes or changes meanwhile, a line each. */
  onNotice: (notice: string) => void;
}

/**
 * The named files as one pax archive, by the system's own tar (GNU tar 1.29 or newer), in order. Anything that can't be read makes the stream fail
 * with `local-file-error`, which names it; what is not there any more is a notice.
 */
export function packNames(parts: readonly NamedFiles[], { scratch, onNotice }: PackOptions): Readable {
  const lists = parts.flatMap(({ folder, names }, index) => {
    const list = path.join(path.resolve(scratch), String(index));
    writeFileSync(list, names.map((name) => `${name}\0`).join(''), 'latin1');
    return ['-C', path.resolve(folder), '-T', list];
  });
  const style = ['--format=pax', '--sparse', '--numeric-owner', '--quoting-style=c'];
  const child = spawn('tar', [...style, '--no-recursion', '--null', '--verbatim-files-from', ...lists, '-cf', '-'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C', TAR_OPTIONS: '' },
  });
  const archive = new PassThrough({ highWaterMark: 256 * 1024 });
  const fail = (message: string): void => {
    archive.destroy(new OffshootError('local-file-error', { message }));
  };
  child.on('error', (error) => {
    fail(`tar could not be started: ${error.message}`);
  });
  const complaints = createInterface({ input: child.stderr });
  complaints.on('line', (line) => {
    if (saysNothing.test(line)) return;
    const about = line.replace(/^tar: /, '');
    if (vanished.test(line) || changed.test(line)) onNotice(about);
    else fail(`Packing failed: ${about.slice(0, 500)}`);
  });
  const readToEnd = new Promise<void>((resolve) => complaints.once('close', resolve));
  child.stdout.pipe(archive, { end: false });
  child.on('close', (code) => {
    // 1 is "a file changed", 2 with nothing but vanished files is no more: every other cause has made the stream fail
    void readToEnd.then(() => {
      if (code !== null && code <= 2) archive.end();
      else fail(`tar ended with ${String(code ?? child.signalCode)}.`);
    });
  });
  archive.on('close', () => {
    if (child.exitCode === null) child.kill('SIGKILL');
  });
  return archive;
}
