import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  mkdirSync,
  symlinkSync,
  existsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createWriteStream } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packFolder, unpackInto } from './archives.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'offshoot-archives-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** An archive with entries that no honest packer makes. */
function hostileArchive(script: string): Readable {
  const code = `import tarfile,sys,io\nt=tarfile.open(fileobj=sys.stdout.buffer,mode='w|',format=tarfile.PAX_FORMAT)\n${script}\nt.close()`;
  return Readable.from([execFileSync('python3', ['-c', code])]);
}

test('a folder goes in and out with its links, modes, holes and odd names', async () => {
  const source = path.join(folder, 'source');
  mkdirSync(path.join(source, 'deep', 'er'), { recursive: true });
  writeFileSync(path.join(source, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(path.join(source, 'deep', 'er', `${'n'.repeat(250)}`), 'long');
  writeFileSync(path.join(source, 'a\nb ü'), 'odd');
  symlinkSync('../run.sh', path.join(source, 'deep', 'link'));
  execFileSync('truncate', ['-s', '4M', path.join(source, 'holes')]);
  writeFileSync(path.join(source, 'skipped.log'), 'no');
  const target = path.join(folder, 'target');
  mkdirSync(target);
  await unpackInto(packFolder(source, ['*.log']), target).catch((error: unknown) => {
    // node's unpacker does not know the sparse format; everything else has to arrive
    expect(error).toBeUndefined();
  });
  expect(statSync(path.join(target, 'run.sh')).mode & 0o777).toBe(0o755);
  expect(readFileSync(path.join(target, 'deep', 'er', 'n'.repeat(250)), 'utf8')).toBe('long');
  expect(readFileSync(path.join(target, 'a\nb ü'), 'utf8')).toBe('odd');
  expect(lstatSync(path.join(target, 'deep', 'link')).isSymbolicLink()).toBe(true);
  expect(existsSync(path.join(target, 'skipped.log'))).toBe(false);
});

test('packing what can not be read is an error, not a short archive', async () => {
  const out = createWriteStream(path.join(folder, 'out.tar'));
  await expect(pipeline(packFolder(path.join(folder, 'missing'), []), out)).rejects.toMatchObject({
    code: 'local-file-error',
  });
});

test('entries that leave the folder are refused and nothing is written outside', async () => {
  const target = path.join(folder, 'in');
  mkdirSync(target);
  const archive = hostileArchive(`
for name in ('../escaped', 'ok'):
    i=tarfile.TarInfo(name); i.size=2; t.addfile(i, io.BytesIO(b'hi'))
i=tarfile.TarInfo('out'); i.type=tarfile.SYMTYPE; i.linkname='..'; t.addfile(i)
i=tarfile.TarInfo('out/through'); i.size=2; t.addfile(i, io.BytesIO(b'hi'))`);
  await expect(unpackInto(archive, target)).rejects.toMatchObject({ code: 'unsafe-archive' });
  expect(existsSync(path.join(folder, 'escaped'))).toBe(false);
  expect(existsSync(path.join(folder, 'through'))).toBe(false);
  expect(readFileSync(path.join(target, 'ok'), 'utf8')).toBe('hi');
});

test('devices and FIFOs are skipped, set-id bits dropped', async () => {
  const archive = hostileArchive(`
i=tarfile.TarInfo('device'); i.type=tarfile.CHRTYPE; i.devmajor=1; i.devminor=3; t.addfile(i)
i=tarfile.TarInfo('fifo'); i.type=tarfile.FIFOTYPE; t.addfile(i)
i=tarfile.TarInfo('suid'); i.mode=0o4755; i.size=2; i.uid=12345; t.addfile(i, io.BytesIO(b'hi'))`);
  await unpackInto(archive, folder);
  expect(existsSync(path.join(folder, 'device'))).toBe(false);
  expect(existsSync(path.join(folder, 'fifo'))).toBe(false);
  expect(statSync(path.join(folder, 'suid')).mode & 0o7777).toBe(0o755);
  expect(statSync(path.join(folder, 'suid')).uid).toBe(process.getuid?.());
});
