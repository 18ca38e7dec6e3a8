import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { collectArtifacts, type CollectedArtifacts, type CollectOptions } from './collect-artifacts.ts';

let folder: string;
let into: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'offshoot-artifacts-'));
  into = path.join(folder, 'deep/into');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Answer = (remote: string, include: readonly string[], attempt: number) => Readable;

/** A sandbox that answers each download so. */
async function collect(
  globs: readonly string[],
  answer: Answer,
  options: Partial<CollectOptions> = {},
): Promise<CollectedArtifacts> {
  let attempt = 0;
  const downloadArchive = async (remote: string, request: { include?: readonly string[] } = {}): Promise<Readable> => {
    attempt += 1;
    return answer(remote, request.include ?? [], attempt);
  };
  return collectArtifacts({ files: { downloadArchive } }, { globs, base: '/w', into, retryDelayMs: 1, ...options });
}

function archive(script: string): Buffer {
  const code = `import tarfile,sys,io
t=tarfile.open(fileobj=sys.stdout.buffer,mode='w|',format=tarfile.PAX_FORMAT)
def f(name, data=b'hi'):
    i=tarfile.TarInfo(name); i.size=len(data); t.addfile(i, io.BytesIO(data))
def d(name):
    i=tarfile.TarInfo(name); i.type=tarfile.DIRTYPE; t.addfile(i)
def l(name, target):
    i=tarfile.TarInfo(name); i.type=tarfile.SYMTYPE; i.linkname=target; t.addfile(i)
${script}
t.close()`;
  return execFileSync('python3', ['-c', code], { maxBuffer: 64 * 1024 * 1024 });
}

const sends =
  (script: string): Answer =>
  () =>
    Readable.from([archive(script)]);

test('what matches lands with its path; globs without a file are named', async () => {
  const asked: [string, readonly string[]][] = [];
  const collected = await collect(['dist/**', '!**/*.map', '/tmp/report.xml', 'none/*', 'empty'], (remote, include) => {
    asked.push([remote, include]);
    return Readable.from([
      archive(remote === '/w' ? `d('dist'); f('dist/a'); d('empty'); d('dist/sub')` : `f('report.xml', b'<x/>')`),
    ]);
  });
  expect(asked).toEqual([
    ['/w', ['dist/**', 'none/*', 'empty', '!**/*.map']],
    ['/tmp', ['report.xml']],
  ]);
  expect(collected).toEqual({ files: 2, bytes: 6, unmatched: ['none/*', 'empty'], refused: [], warnings: [] });
  expect(readdirSync(into, { recursive: true }).sort()).toEqual(['dist', 'dist/a', 'dist/sub', 'empty', 'report.xml']);
  expect(readFileSync(path.join(into, 'report.xml'), 'utf8')).toBe('<x/>');
});

test('what was not asked for, or would be run by git here, does not come in', async () => {
  const script = `f('dist/a'); f('.bashrc'); f('dist/.git/config'); f('dist/.GIT/hooks/post-checkout'); f('dist/m.map')`;
  const collected = await collect(['dist', '!**/*.map'], sends(script));
  expect(collected.files).toBe(1);
  expect(collected.refused).toEqual([
    '".bashrc" was not asked for',
    '"dist/.git/config" was not asked for',
    '"dist/.GIT/hooks/post-checkout" was not asked for',
    '"dist/m.map" was not asked for',
  ]);
  expect(readdirSync(path.join(into, 'dist'))).toEqual(['a']);
  await collect(['dist/.git/config'], sends(`f('dist/.git/config')`));
  expect(existsSync(path.join(into, 'dist/.git/config'))).toBe(true);
});

test('only globs that name a .git bring one, not those that take one away or name another', async () => {
  const script = `f('dist/a'); f('dist/.git/config'); f('x/.git/config'); f('x/.git/hooks/h')`;
  await collect(['**', '!x/.git/**'], sends(script));
  expect(readdirSync(into, { recursive: true }).sort()).toEqual(['dist', 'dist/a']);
  const collected = await collect(['dist', 'x/.git', '!x/.git/hooks'], sends(script));
  expect(collected.files).toBe(2);
  expect(readdirSync(into, { recursive: true }).sort()).toEqual(['dist', 'dist/a', 'x', 'x/.git', 'x/.git/config']);
});

test.each(['', 'repo/'])("the workspace's .git and .github stay as they are, from %j", async (beneath) => {
  const workspace = path.join(into, beneath);
  mkdirSync(path.join(workspace, '.git'), { recursive: true });
  writeFileSync(path.join(workspace, '.git/config'), 'mine');
  mkdirSync(path.join(workspace, 'sub/.git'), { recursive: true });
  const names = [
    '.git/config',
    '.git/hooks/h',
    '.github/workflows/x.yml',
    '.GITHUB/y',
    'sub/.git/config',
    'sub/a',
    'new/.git/config',
  ];
  const script = names.map((name) => `f('${beneath}${name}')`).join(';');
  const globs = ['**', '**/.git/**', '**/.github/**'];
  const first = await collect(globs, sends(script), { base: workspace });
  expect(first.files).toBe(2);
  expect(first.refused).toHaveLength(5);
  expect(first.refused[0]).toBe(`"${beneath}.git/config" would change git or GitHub files of this machine`);
  expect(readdirSync(workspace, { recursive: true }).sort()).toEqual(
    ['.git', '.git/config', 'new', 'new/.git', 'new/.git/config', 'sub', 'sub/.git', 'sub/a'].sort(),
  );
  expect(readFileSync(path.join(workspace, '.git/config'), 'utf8')).toBe('mine');
});

test('neither when the folder for artifacts is a part of .git, or the workspace is named by a link', async () => {
  mkdirSync(path.join(folder, 'workspace/.git/in'), { recursive: true });
  symlinkSync('workspace', path.join(folder, 'link'));
  const workspace = path.join(folder, 'workspace');
  const inGit = await collect(['**'], sends(`f('x')`), { base: workspace, into: path.join(workspace, '.git/in') });
  expect(inGit.files).toBe(0);
  const linked = await collect(['.github'], sends(`f('.github/x')`), {
    base: path.join(folder, 'link'),
    into: workspace,
  });
  expect(linked.files).toBe(0);
  expect(readdirSync(workspace, { recursive: true }).sort()).toEqual(['.git', '.git/in']);
});

test('nothing goes through links of an earlier collection, nor through a link in the place of the folder', async () => {
  mkdirSync(path.join(folder, 'outside'));
  await collect(['**'], sends(`d('real'); l('a', 'real'); l('evil', '../../outside')`));
  symlinkSync('../../outside', path.join(into, 'planted'));
  const collected = await collect(['**'], sends(`f('a/x'); f('planted/y'); f('fine')`));
  expect(collected.files).toBe(1);
  expect(collected.refused).toEqual([
    '"a" needs a folder where a file or a link is',
    '"planted" needs a folder where a file or a link is',
  ]);
  expect(readdirSync(path.join(folder, 'outside'))).toEqual([]);
  const linked = path.join(folder, 'linked');
  symlinkSync('outside', linked);
  await expect(collect(['**'], sends(`f('x')`), { base: folder, into: path.join(linked, 'in') })).rejects.toMatchObject(
    { code: 'local-file-error' },
  );
  await expect(collect(['**'], sends(`f('x')`), { base: folder, into: linked })).rejects.toThrow('is no folder');
  expect(readdirSync(path.join(folder, 'outside'))).toEqual([]);
});

test('the folder can be the workspace itself; only what is asked for is replaced', async () => {
  mkdirSync(into, { recursive: true });
  writeFileSync(path.join(into, 'README'), 'mine');
  writeFileSync(path.join(into, 'out'), 'old');
  await collect(['out'], sends(`f('out', b'new'); f('README', b'theirs')`), { base: into });
  expect(readFileSync(path.join(into, 'README'), 'utf8')).toBe('mine');
  expect(readFileSync(path.join(into, 'out'), 'utf8')).toBe('new');
  expect(readdirSync(into).sort()).toEqual(['README', 'out']);
});

test('a bomb is an error that names the bound and leaves nothing', async () => {
  const many = sends('for n in range(20): f(str(n))');
  await expect(collect(['*'], many, { maxEntries: 10 })).rejects.toThrow(
    /artifacts in "\/w" were not brought back: .*more than 10 entries/,
  );
  expect(existsSync(path.join(folder, 'deep'))).toBe(false);
  await expect(collect(['*'], sends(`f('x', b'x'*5000)`), { maxBytes: 4999 })).rejects.toThrow('more than 4999 bytes');
  expect(readdirSync(folder)).toEqual([]);
});

function brokenAfter(bytes: Buffer): Readable {
  const stream = new PassThrough();
  stream.write(bytes, () => stream.destroy(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })));
  return stream;
}

test('a connection that breaks is tried again, nothing is doubled, and it is told', async () => {
  const whole = archive(`f('a', b'x'*2000); f('b')`);
  const answer: Answer = (_remote, _include, attempt) =>
    attempt < 3 ? brokenAfter(whole.subarray(0, 1600)) : Readable.from([whole]);
  const collected = await collect(['*'], answer);
  expect(collected).toMatchObject({ files: 2, bytes: 2002, unmatched: [] });
  expect(collected.warnings).toHaveLength(2);
  expect(collected.warnings[0]).toContain('broke off and was tried again');
  expect(readdirSync(into).sort()).toEqual(['a', 'b']);
});

test('one that breaks each time is an error after three attempts and leaves nothing', async () => {
  let attempts = 0;
  const collected = collect(['*'], () => {
    attempts += 1;
    return brokenAfter(archive(`f('a', b'x'*2000)`).subarray(0, 1600));
  });
  await expect(collected).rejects.toMatchObject({ code: 'host-unreachable' });
  expect(attempts).toBe(3);
  expect(readdirSync(folder)).toEqual([]);
});

test('a sandbox that is gone is not asked again; a folder that is not there has no files', async () => {
  let attempts = 0;
  const fails =
    (code: 'sandbox-gone' | 'guest-file-not-found'): Answer =>
    () => {
      attempts += 1;
      throw new OffshootError(code);
    };
  await expect(collect(['*'], fails('sandbox-gone'))).rejects.toMatchObject({ code: 'sandbox-gone' });
  expect(attempts).toBe(1);
  expect(await collect(['*'], fails('guest-file-not-found'))).toMatchObject({ files: 0, unmatched: ['*'] });
});

test('an abort ends it at once', async () => {
  const controller = new AbortController();
  const answer: Answer = () => {
    controller.abort();
    return brokenAfter(Buffer.alloc(0));
  };
  await expect(collect(['*'], answer, { signal: controller.signal, retryDelayMs: 60_000 })).rejects.toMatchObject({
    code: 'aborted',
  });
});

test('ten thousand small files', async () => {
  // in memory where there is a place: what a disk takes for so many is not the question
  const place = existsSync('/dev/shm') ? '/dev/shm' : folder;
  const many = mkdtempSync(path.join(place, 'offshoot-artifacts-'));
  try {
    const script = `for n in range(10000): f(f'd{n % 100}/{n}', b'x'*100)`;
    const collected = await collect(['**'], sends(script), { into: many });
    expect(collected).toMatchObject({ files: 10_000, bytes: 1_000_000, refused: [] });
    expect(statSync(path.join(many, 'd99/9999')).mode & 0o777).toBe(0o644);
  } finally {
    rmSync(many, { recursive: true, force: true });
  }
}, 60_000);
