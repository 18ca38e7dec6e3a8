import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkProblem } from './entry-paths.ts';
import { unpackFresh, type Unpacked, type UnpackOptions } from './unpack.ts';

let folder: string;
let into: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'offshoot-unpack-'));
  into = path.join(folder, 'into');
  mkdirSync(into);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const helpers = `import tarfile,sys,io
t=tarfile.open(fileobj=sys.stdout.buffer,mode='w|',format=tarfile.PAX_FORMAT)
def f(name, data=b'hi', **more):
    i=tarfile.TarInfo(name); i.size=len(data)
    for k,v in more.items(): setattr(i,k,v)
    t.addfile(i, io.BytesIO(data))
def l(name, target, type=tarfile.SYMTYPE):
    i=tarfile.TarInfo(name); i.type=type; i.linkname=target; t.addfile(i)
def d(name):
    i=tarfile.TarInfo(name); i.type=tarfile.DIRTYPE; i.mode=0o000; t.addfile(i)
`;

/** Python's tarfile writes whatever it is told. */
async function unpack(script: string, options: UnpackOptions = {}): Promise<Unpacked> {
  const archive = execFileSync('python3', ['-c', `${helpers}${script}\nt.close()`], { maxBuffer: 64 * 1024 * 1024 });
  return unpackFresh(Readable.from([archive]), into, options);
}

test('names that leave the folder are refused, each with its reason', async () => {
  const { files, refused } = await unpack(`f('../up'); f('/etc/absolute'); f('a/../../b'); f('./fine'); f('a/../b')`);
  expect(files).toEqual(['fine']);
  expect(refused).toEqual([
    '"../up" leaves the folder',
    '"/etc/absolute" is an absolute name',
    '"a/../../b" leaves the folder',
    '"a/../b" leaves the folder',
  ]);
  expect(existsSync(path.join(folder, 'up'))).toBe(false);
});

test('links that stay beneath the folder are kept, others refused', async () => {
  const { files, refused } = await unpack(`
f('d/file'); l('d/near', 'file'); l('d/up', '../top'); l('to-folder', 'd/'); l('dangling', 'nowhere')
l('absolute', '/etc/passwd'); l('d/out', '../../etc'); l('self', '..'); l('around', 'd/../../x'); l('e/f/g/root', '../../..')`);
  expect(files).toEqual(['d/file', 'd/near', 'd/up', 'to-folder', 'dangling', 'e/f/g/root']);
  expect(refused).toEqual([
    '"absolute" is a link to an absolute path',
    '"d/out" is a link out of the folder',
    '"self" is a link out of the folder',
    '"around" is a link that goes down and up again',
  ]);
  expect(readlinkSync(path.join(into, 'd/near'))).toBe('file');
});

test('nothing is written through a link planted before it', async () => {
  mkdirSync(path.join(folder, 'outside'));
  const { refused } = await unpack(`
d('s'); l('s/x', '.'); f('s/x/file'); l('y', 'd'); f('y/file'); l('z', 'gone'); f('z'); f('file'); l('file', 'x'); f('file/below')`);
  expect(lstatSync(path.join(into, 's/x')).isDirectory()).toBe(true);
  expect(refused).toEqual([
    '"z" is there twice',
    '"file" is there twice',
    '"file/below" needs a folder where a file is',
    '"s/x" is there twice',
    '"y" is there twice',
  ]);
});

test('hard links lead only to files of the same archive', async () => {
  const { files, refused } = await unpack(`
f('a'); l('b', 'a', tarfile.LNKTYPE); l('c', '/etc/passwd', tarfile.LNKTYPE); l('s', 'a'); l('d', 's', tarfile.LNKTYPE)
l('e', '../../etc/passwd', tarfile.LNKTYPE); d('folder'); l('g', 'folder', tarfile.LNKTYPE)`);
  expect(files).toEqual(['a', 'b', 's']);
  expect(refused).toHaveLength(4);
  expect(statSync(path.join(into, 'b')).ino).toBe(statSync(path.join(into, 'a')).ino);
});

test('modes are sane, whatever the guest says', async () => {
  await unpack(
    `f('suid', mode=0o6777); f('shut', mode=0); d('closed'); f('closed/file', mode=0o640); f('old', mtime=-5e9); f('far', mtime=9e15)`,
  );
  expect(lstatSync(path.join(into, 'suid')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(path.join(into, 'shut')).mode & 0o7777).toBe(0o400);
  expect(lstatSync(path.join(into, 'closed')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(path.join(into, 'closed/file')).mode & 0o7777).toBe(0o640);
});

test('what was not asked for is refused', async () => {
  const wanted = (name: string): boolean => name.endsWith('.xml');
  const { files, refused } = await unpack(`d('d'); f('d/a.xml'); f('.bashrc'); f('d/evil')`, { wanted });
  expect(files).toEqual(['d/a.xml']);
  expect(refused).toEqual(['".bashrc" was not asked for', '"d/evil" was not asked for']);
});

test('bounds on entries and bytes are errors that name them, before the bytes are written', async () => {
  const many = `\nfor n in range(11): f(str(n))`;
  await expect(unpack(many, { maxEntries: 10 })).rejects.toThrow('more than 10 entries');
  await expect(unpack(`f('a', b'x'*600); f('b', b'x'*600)`, { maxBytes: 1000 })).rejects.toThrow(
    'more than 1000 bytes',
  );
  expect(existsSync(path.join(into, 'b'))).toBe(false);
});

test('odd names arrive equal or are refused, and can not forge log lines', async () => {
  const { files, refused } = await unpack(`
f('A'); f('a'); f('new\\nline\\n'); f('\\n'); f('ü'*120); f('n'*300); f('x'*200+'\\n'+'y'*40); f('../\\n::error::forged\\x85')`);
  expect(files).toEqual(['A', 'a', 'new\nline\n', '\n', 'ü'.repeat(120), `${'x'.repeat(200)}\n${'y'.repeat(40)}`]);
  for (const name of files) expect(readFileSync(path.join(into, name), 'utf8')).toBe('hi');
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatch(/^"n{200}…" is too long a name/);
  expect(refused[1]).toBe('"../\\n::error::forged\\u0085" leaves the folder');
});

test('names that are no UTF-8 are refused', async () => {
  const { files, refused } = await unpack(`
import struct
t.format=tarfile.USTAR_FORMAT; t.encoding='latin1'; t.errors='strict'
f('caf\\xe9'); f('ok')`);
  expect(files).toEqual(['ok']);
  expect(refused).toEqual(['"caf\ufffd" has a name that is not UTF-8']);
});

test('archives without end are given up', async () => {
  const block = (fill: number): Buffer => Buffer.alloc(512, fill);
  const endless = function* (first: Buffer, then: Buffer): Generator<Buffer> {
    yield first;
    for (;;) yield then;
  };
  const zeros = Readable.from(endless(block(0), Buffer.alloc(65536)));
  await expect(unpackFresh(zeros, into)).rejects.toThrow('behind its end');
  expect(zeros.destroyed).toBe(true); // else the connection would stay open
  const header = execFileSync('python3', ['-c', `${helpers}f('a', pax_headers={'comment': 'x'})`]).subarray(0, 1024);
  await expect(unpackFresh(Readable.from(endless(header, header)), into)).rejects.toThrow('headers without end');
  const device = `i=tarfile.TarInfo('d'); i.type=tarfile.CONTTYPE; i.size=10**12; sys.stdout.buffer.write(i.tobuf()); sys.stdout.flush()`;
  await expect(unpack(device, { maxBytes: 1000 })).rejects.toThrow('more than 1000 bytes');
});

test('headers longer than any honest one are not read into memory', async () => {
  await expect(unpack(`f('a', pax_headers={'comment': 'x'*2_000_000})`)).rejects.toThrow('a header of it is too long');
});

test('links that pass never lead out together', () => {
  // each link beneath a root of real folders; what a path resolves to with all of them is followed step by step
  const component = fc.constantFrom('a', 'b', '..', '.');
  const link = fc.tuple(
    fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
    fc.array(component, { minLength: 1, maxLength: 5 }),
  );
  fc.assert(
    fc.property(
      fc.array(link, { maxLength: 6 }),
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }),
      (links, start) => {
        const kept = new Map(
          links
            .map(([name, target]) => [name.join('/'), target.join('/')] as const)
            .filter(([name, target]) => linkProblem(name, target) === undefined),
        );
        let at: string[] = [];
        const todo: string[] = [...start];
        for (let steps = 0; todo.length > 0 && steps < 100; steps += 1) {
          const next = todo.shift() ?? '';
          if (next === '.') continue;
          if (next === '..') {
            expect(at.length).toBeGreaterThan(0);
            at = at.slice(0, -1);
            continue;
          }
          const target = kept.get([...at, next].join('/'));
          if (target === undefined) at = [...at, next];
          else todo.unshift(...target.split('/'));
        }
      },
    ),
    { numRuns: 2000 },
  );
});
