import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  mkdirSync,
  symlinkSync,
  existsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
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

test('a folder goes in and out with its links, modes and odd names', async () => {
  const source = path.join(folder, 'source');
  const long = `${'n'.repeat(200)}\n${'ü'.repeat(24)}\n`;
  mkdirSync(path.join(source, 'deep', 'er'), { recursive: true });
  writeFileSync(path.join(source, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(path.join(source, 'deep', 'er', long), 'long');
  writeFileSync(path.join(source, 'ends\n'), 'odd');
  writeFileSync(path.join(source, 'big'), Buffer.alloc(1_000_001, 'b'));
  linkSync(path.join(source, 'big'), path.join(source, 'same'));
  symlinkSync('../run.sh', path.join(source, 'deep', 'link'));
  writeFileSync(path.join(source, 'skipped.log'), 'no');
  const target = path.join(folder, 'target');
  mkdirSync(target);
  await unpackInto(packFolder(source, ['*.log']), target);
  expect(statSync(path.join(target, 'run.sh')).mode & 0o777).toBe(0o755);
  expect(statSync(path.join(target, 'run.sh')).mtimeMs).toBeCloseTo(statSync(path.join(source, 'run.sh')).mtimeMs, -1);
  expect(readFileSync(path.join(target, 'deep', 'er', long), 'utf8')).toBe('long');
  expect(readFileSync(path.join(target, 'ends\n'), 'utf8')).toBe('odd');
  expect(readFileSync(path.join(target, 'same'))).toEqual(Buffer.alloc(1_000_001, 'b'));
  expect(statSync(path.join(target, 'same')).ino).toBe(statSync(path.join(target, 'big')).ino);
  expect(readlinkSync(path.join(target, 'deep', 'link'))).toBe('../run.sh');
  expect(readdirSync(target).sort()).toEqual(['big', 'deep', 'ends\n', 'run.sh', 'same']);
});

test('holes are packed as holes', async () => {
  const source = path.join(folder, 'source');
  mkdirSync(source);
  execFileSync('truncate', ['-s', '64M', path.join(source, 'holes')]);
  const packed = path.join(folder, 'packed.tar');
  await pipeline(packFolder(source, []), createWriteStream(packed));
  expect(statSync(packed).size).toBeLessThan(100_000);
  execFileSync('tar', ['-C', folder, '-xf', packed]);
  expect(statSync(path.join(folder, 'holes')).size).toBe(64 * 1024 * 1024);
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

test('devices and FIFOs are refused, set-id bits dropped', async () => {
  const archive = hostileArchive(`
i=tarfile.TarInfo('device'); i.type=tarfile.CHRTYPE; i.devmajor=1; i.devminor=3; t.addfile(i)
i=tarfile.TarInfo('fifo'); i.type=tarfile.FIFOTYPE; t.addfile(i)
i=tarfile.TarInfo('suid'); i.mode=0o4755; i.size=2; i.uid=12345; t.addfile(i, io.BytesIO(b'hi'))`);
  await expect(unpackInto(archive, folder)).rejects.toMatchObject({ code: 'unsafe-archive' });
  expect(existsSync(path.join(folder, 'device'))).toBe(false);
  expect(existsSync(path.join(folder, 'fifo'))).toBe(false);
  expect(statSync(path.join(folder, 'suid')).mode & 0o7777).toBe(0o755);
  expect(statSync(path.join(folder, 'suid')).uid).toBe(process.getuid?.());
});

test('what stands in the folder is never written through, and no folder is replaced by a file', async () => {
  const outside = path.join(folder, 'outside');
  const target = path.join(folder, 'in');
  mkdirSync(outside);
  mkdirSync(path.join(target, 'folder'), { recursive: true });
  writeFileSync(path.join(outside, 'victim'), 'old');
  symlinkSync('../outside', path.join(target, 'link'));
  symlinkSync('../outside/victim', path.join(target, 'file-link'));
  const archive = hostileArchive(`
for name in ('link/planted', 'file-link', 'folder', 'fine/file'):
    i=tarfile.TarInfo(name); i.size=3; t.addfile(i, io.BytesIO(b'new'))`);
  await expect(unpackInto(archive, target)).rejects.toMatchObject({
    code: 'unsafe-archive',
    details: {
      refused: expect.arrayContaining([
        '"link" needs a folder where a file or a link is',
        '"folder" is a file where a folder is',
      ]),
    },
  });
  expect(readdirSync(outside)).toEqual(['victim']);
  expect(readFileSync(path.join(outside, 'victim'), 'utf8')).toBe('old');
  expect(readFileSync(path.join(target, 'file-link'), 'utf8')).toBe('new');
  expect(readFileSync(path.join(target, 'fine', 'file'), 'utf8')).toBe('new');
  expect(readdirSync(target).sort()).toEqual(['file-link', 'fine', 'folder', 'link']);
});

test('an archive that is cut off or damaged leaves nothing', async () => {
  const whole = execFileSync('python3', [
    '-c',
    `import tarfile,sys,io
t=tarfile.open(fileobj=sys.stdout.buffer,mode='w|')
for n in ('a','b'):
    i=tarfile.TarInfo(n); i.size=600; t.addfile(i, io.BytesIO(b'x'*600))
t.close()`,
  ]);
  for (const bytes of [
    whole.subarray(0, 0),
    whole.subarray(0, 700),
    whole.subarray(0, 3072),
    Buffer.from(whole).fill('z', 1540, 1545),
  ]) {
    await expect(unpackInto(Readable.from([bytes]), folder)).rejects.toMatchObject({ code: 'unsafe-archive' });
    expect(readdirSync(folder)).toEqual([]);
  }
  const broken = new PassThrough();
  broken.write(whole.subarray(0, 2000));
  const unpacked = unpackInto(broken, folder);
  broken.destroy(new Error('the line is dead'));
  await expect(unpacked).rejects.toThrow('the line is dead');
  expect(readdirSync(folder)).toEqual([]);
});

test('an archive without entries is fine', async () => {
  await unpackInto(hostileArchive(''), folder);
  expect(readdirSync(folder)).toEqual([]);
});
