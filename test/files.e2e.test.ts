import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile, link } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();
let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await suite.create({ memoryMiB: 768 });
}, 120_000);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-files-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function archive(script: string): Readable {
  const code = `import tarfile,sys,io\nt=tarfile.open(fileobj=sys.stdout.buffer,mode='w|',format=tarfile.PAX_FORMAT)\n${script}\nt.close()`;
  return Readable.from([execFileSync('python3', ['-c', code])]);
}

describe('single files', () => {
  test('bytes, mode and folders arrive; reading gives the same bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 31) % 256));
    await sandbox.files.write('/workspace/new/folder/file.bin', bytes, { mode: 0o750 });
    expect((await sandbox.files.read('/workspace/new/folder/file.bin')).equals(bytes)).toBe(true);
    expect(await sandbox.files.stat('new/folder/file.bin')).toMatchObject({
      type: 'file',
      mode: 0o750,
      sizeBytes: bytes.length,
    });
    expect((await sandbox.files.list('/workspace/new', { recursive: true })).map((entry) => entry.name).sort()).toEqual(
      ['folder', 'folder/file.bin'],
    );
  });

  test('an empty file and odd names', async () => {
    for (const name of ['empty', 'with space', 'new\nline', 'ünïcode', `${'n'.repeat(250)}`]) {
      await sandbox.files.write(`/workspace/odd/${name}`, '');
      expect(await sandbox.files.read(`/workspace/odd/${name}`)).toHaveLength(0);
    }
  });

  test.each([
    ['a missing file', '/no/such/file', 'guest-file-not-found'],
    ['a folder', '/etc', 'guest-file-error'],
    ['a device', '/dev/zero', 'guest-file-error'],
  ])('reading %s is refused', async (_name, file, code) => {
    await expect(sandbox.files.read(file)).rejects.toMatchObject({ code });
  });

  test('reading a FIFO does not hang', async () => {
    await sandbox.exec('mkfifo /tmp/fifo', { check: true });
    await expect(sandbox.files.read('/tmp/fifo')).rejects.toMatchObject({ code: 'guest-file-error' });
  });

  test('NUL in a path is refused', async () => {
    await expect(sandbox.files.read('/tmp/a\0b')).rejects.toMatchObject({ code: 'invalid-request' });
  });

  test('a client that leaves in mid upload leaves no file', async () => {
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(1_000_000);
        throw new Error('the client is gone');
      })(),
    );
    await expect(sandbox.files.write('/workspace/half', broken)).rejects.toThrow();
    await expect
      .poll(async () => (await sandbox.exec('ls -A /workspace | grep -c half || true')).stdout.trim(), {
        timeout: 10_000,
      })
      .toBe('0');
  });
});

describe('folders', () => {
  test('modes, times, links, holes and long names arrive in the sandbox', async () => {
    await mkdir(path.join(folder, 'sub'));
    await writeFile(path.join(folder, 'run.sh'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
    await writeFile(path.join(folder, 'sub', 'n'.repeat(250)), 'long');
    await symlink('../run.sh', path.join(folder, 'sub', 'relative'));
    await symlink('/nowhere', path.join(folder, 'dangling'));
    await link(path.join(folder, 'run.sh'), path.join(folder, 'hard'));
    execFileSync('truncate', ['-s', '1G', path.join(folder, 'holes')]);
    execFileSync('touch', ['-d', '2001-02-03 04:05:06.789 UTC', path.join(folder, 'run.sh')]);
    await sandbox.files.upload(folder, '/workspace/tree', { owner: '0:0' });
    const facts = await sandbox.exec(
      'cd /workspace/tree; ./run.sh; stat -c "%a %u %.3Y %h" run.sh; readlink sub/relative dangling; stat -c "%s" holes; du -k holes | cut -f1; ls sub | wc -l',
      { check: true },
    );
    expect(facts.stdout).toBe('ran\n755 0 981173106.789 2\n../run.sh\n/nowhere\n1073741824\n0\n2\n');
  });

  test('a tree comes back as it was', async () => {
    await sandbox.exec(
      'rm -rf /tmp/out; mkdir -p /tmp/out/deep/er; cd /tmp/out; echo hi > a; chmod 640 a; ln -s a link; ln a hard; : > empty; echo x > "deep/er/new\nline"; mkfifo fifo',
      { check: true },
    );
    await sandbox.files.download('/tmp/out', path.join(folder, 'back'));
    const back = path.join(folder, 'back');
    expect(await readFile(path.join(back, 'a'), 'utf8')).toBe('hi\n');
    expect((await stat(path.join(back, 'a'))).mode & 0o777).toBe(0o640);
    expect((await lstat(path.join(back, 'link'))).isSymbolicLink()).toBe(true);
    expect((await stat(path.join(back, 'hard'))).ino).toBe((await stat(path.join(back, 'a'))).ino);
    expect((await stat(path.join(back, 'empty'))).size).toBe(0);
    expect(await readFile(path.join(back, 'deep', 'er', 'new\nline'), 'utf8')).toBe('x\n');
  });

  test.each([
    ['..', "i=tarfile.TarInfo('../escaped')"],
    ['an absolute name', "i=tarfile.TarInfo('/etc/escaped')"],
    ['a hard link outside', "i=tarfile.TarInfo('h'); i.type=tarfile.LNKTYPE; i.linkname='../../etc/passwd'"],
    [
      'a path through a symlink',
      "l=tarfile.TarInfo('l'); l.type=tarfile.SYMTYPE; l.linkname='/etc'; t.addfile(l); i=tarfile.TarInfo('l/escaped')",
    ],
  ])('an archive with %s is refused', async (_name, entry) => {
    const upload = sandbox.files.uploadArchive(archive(`${entry}; t.addfile(i)`), '/workspace/hostile');
    await expect(upload).rejects.toMatchObject({ code: 'unsafe-archive' });
    expect((await sandbox.exec('ls /etc/escaped /workspace/escaped')).exitCode).not.toBe(0);
  });

  test('devices in an archive are skipped and counted', async () => {
    const device = "i=tarfile.TarInfo('dev'); i.type=tarfile.CHRTYPE; i.devmajor=1; i.devminor=3; t.addfile(i)";
    const file = "i=tarfile.TarInfo('file'); i.size=2; t.addfile(i, io.BytesIO(b'hi'))";
    const result = await sandbox.files.uploadArchive(archive(`${device}\n${file}`), '/workspace/devices');
    expect(result).toMatchObject({ skipped: 1 });
    expect((await sandbox.exec('ls /workspace/devices')).stdout).toBe('file\n');
  });

  test('a torn archive is an error', async () => {
    const whole = execFileSync('tar', ['-C', '/etc', '-cf', '-', 'passwd', 'group']);
    const torn = sandbox.files.uploadArchive(Readable.from([whole.subarray(0, 900)]), '/workspace/torn');
    await expect(torn).rejects.toMatchObject({ code: 'invalid-request' });
  });

  test('git works on a synced tree', async () => {
    execFileSync('git', ['init', '-q', folder]);
    await writeFile(path.join(folder, 'file'), 'x');
    await sandbox.files.upload(folder, '/workspace/repo');
    const status = await sandbox.exec('git status --porcelain', { cwd: '/workspace/repo', check: true });
    expect(status.stdout).toBe('?? file\n');
  });
});
