import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileLimits } from './limits.ts';
import { readFileCommands } from './read.ts';

/** As the agent packs a folder: entries named `./x`. */
function archiveOf(files: Record<string, string | Buffer>): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'offshoot-read-'));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
    return execFileSync('tar', ['-C', folder, '--format=pax', '-cf', '-', '.'], { maxBuffer: 1 << 28 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An archive no honest packer makes. `add(name, content, **fields)` adds an entry. */
function hostile(script: string): Buffer {
  const code = `
import tarfile, sys, io
t = tarfile.open(fileobj=sys.stdout.buffer, mode='w|', format=tarfile.PAX_FORMAT)
def add(name, content=b'', **fields):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    for key, value in fields.items(): setattr(entry, key, value)
    t.addfile(entry, io.BytesIO(content))
${script}
t.close()`;
  return execFileSync('python3', ['-c', code], { maxBuffer: 1 << 28 });
}

function stream(bytes: Buffer, size = 1000): Readable {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return Readable.from(chunks);
}

const empty = { outputs: [], env: [], path: [], summary: undefined, warnings: [] };

test('the four files of a step, however the archive comes in pieces', async () => {
  const summary = Buffer.from([0x23, 0xff, 0x00, 0x0a]);
  const archive = archiveOf({ output: 'a=1\nb<<E\nx\ny\nE\n', env: 'C=3\n', path: '/opt/one\n/opt/two\n', summary });
  for (const size of [1, 511, 512, 1 << 20]) {
    expect(await readFileCommands(stream(archive, size))).toEqual({
      outputs: [
        { name: 'a', value: '1' },
        { name: 'b', value: 'x\ny' },
      ],
      env: [{ name: 'C', value: '3' }],
      path: ['/opt/one', '/opt/two'],
      summary,
      warnings: [],
    });
  }
});

test('empty and missing files set nothing', async () => {
  const found = await readFileCommands(stream(archiveOf({ output: '', env: '', path: '', summary: '' })));
  expect({ ...found, summary: found.summary?.length }).toEqual({ ...empty, summary: 0 });
  expect(await readFileCommands(stream(archiveOf({})))).toEqual(empty);
  expect(await readFileCommands(stream(archiveOf({ env: 'A=1\n' })))).toEqual({
    ...empty,
    env: [{ name: 'A', value: '1' }],
  });
});

test('a folder that is gone, sent as no archive or an empty one, sets nothing', async () => {
  for (const archive of [Buffer.alloc(0), Buffer.alloc(1024), Buffer.alloc(10_240)])
    expect(await readFileCommands(Readable.from([archive]))).toEqual(empty);
  expect(await readFileCommands(Readable.from([]))).toEqual(empty);
});

test('a file that breaks the rules counts up to there and is named', async () => {
  const found = await readFileCommands(stream(archiveOf({ output: 'a=1\nwhat\nb=2', env: 'X<<E\nno end' })));
  expect(found.outputs).toEqual([{ name: 'a', value: '1' }]);
  expect(found.warnings).toEqual([
    expect.stringMatching(/^GITHUB_OUTPUT: line 2 .*not merged/),
    expect.stringMatching(/^GITHUB_ENV: .*line 1.*not merged/),
  ]);
});

test('only regular files at the top count: no links, folders, devices, other places or second ones', async () => {
  const found = await readFileCommands(
    stream(
      hostile(`
add('./output', b'good=1')
add('./output', b'second=1')
add('./sub/output', b'below=1')
add('../output', b'above=1')
add('/output', b'absolute=1')
add('./env', type=tarfile.SYMTYPE, linkname='/proc/self/environ')
add('./path', type=tarfile.LNKTYPE, linkname='output')
add('./summary', type=tarfile.FIFOTYPE)
add('./OUTPUT', b'upper=1')
add('./__proto__', b'proto=1')`),
    ),
  );
  expect({ ...found, warnings: [] }).toEqual({ ...empty, outputs: [{ name: 'good', value: '1' }] });
  expect(found.warnings).toHaveLength(1);
  expect(found.warnings[0]).toMatch(/^Not file commands.*"output", "sub\/output", "\.\.\/output".* and 4 more\.$/);
});

test('a file over its limit is not merged at all, and said; the others are', async () => {
  for (const [file, limit] of Object.entries(fileLimits)) {
    const fits = await readFileCommands(
      stream(archiveOf({ [file]: Buffer.alloc(limit, '\n'), [file === 'env' ? 'output' : 'env']: 'X=1' }), 65_536),
    );
    expect(fits.warnings).toEqual([]);
    const other = file === 'env' ? 'output' : 'env';
    const large = await readFileCommands(
      stream(archiveOf({ [file]: Buffer.alloc(limit + 1, '\n'), [other]: 'X=1' }), 65_536),
    );
    expect(large.warnings).toEqual([
      expect.stringMatching(`^GITHUB_.* holds ${String(limit + 1)} bytes, more than the ${String(limit)} .*nothing`),
    ]);
    expect([...large.env, ...large.outputs]).toEqual([{ name: 'X', value: '1' }]);
    expect(large.summary).toBeUndefined();
  }
});

test('an archive without end is given up; what was not read is named', async () => {
  const start = hostile(`
add('./env', b'A=1')
entry = tarfile.TarInfo('./output')
entry.size = 5 << 30
t.fileobj.write(entry.tobuf(tarfile.PAX_FORMAT))`).subarray(0, 3 * 512);
  let sent = 0;
  function* endless(): Generator<Buffer> {
    yield start;
    for (; ; sent += 1024 * 1024) yield Buffer.alloc(1024 * 1024);
  }
  const source = Readable.from(endless());
  const found = await readFileCommands(source);
  expect(found.env).toEqual([{ name: 'A', value: '1' }]);
  expect(found.warnings).toEqual([
    expect.stringMatching(/^GITHUB_OUTPUT holds 5368709120 bytes/),
    expect.stringMatching(/not read: GITHUB_PATH, GITHUB_STEP_SUMMARY\.$/),
  ]);
  expect(source.destroyed).toBe(true);
  expect(sent).toBeLessThan(70 * 1024 * 1024);
});

test('entries without end are given up', async () => {
  const entry = hostile(`add('./rest')`).subarray(0, 512);
  let sent = 0;
  function* endless(): Generator<Buffer> {
    yield hostile(`add('./env', b'A=1')`).subarray(0, 1024);
    for (; ; sent += 100) yield Buffer.concat(Array.from({ length: 100 }, () => entry));
  }
  const found = await readFileCommands(Readable.from(endless()));
  expect(found.env).toEqual([{ name: 'A', value: '1' }]);
  expect(found.warnings[0]).toMatch(/not read: GITHUB_OUTPUT, GITHUB_PATH, GITHUB_STEP_SUMMARY\.$/);
  expect(sent).toBeLessThan(2000);
});

test('an archive that breaks off, is compressed or is none at all is an error, never half a result', async () => {
  const archive = hostile(`add('./output', b'a=1\\n' * 1000)`);
  await expect(readFileCommands(stream(archive.subarray(0, 1024)))).rejects.toMatchObject({ code: 'guest-protocol' });
  await expect(readFileCommands(stream(gzipSync(archive)))).rejects.toMatchObject({ code: 'guest-protocol' });
  await expect(readFileCommands(stream(Buffer.from('what'.repeat(1000))))).rejects.toMatchObject({
    code: 'guest-protocol',
  });
  const broken = new Readable({ read: () => undefined });
  const reading = readFileCommands(broken);
  broken.push(archive.subarray(0, 600));
  broken.destroy(new Error('connection lost'));
  await expect(reading).rejects.toThrow('connection lost');
});
