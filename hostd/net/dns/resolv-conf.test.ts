import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../platform/clock.ts';
import { parseResolvConf, ResolvConf } from './resolv-conf.ts';

const server = (address: string) => ({ address, port: 53 });

test('servers are read in order, comments and other settings passed over', () => {
  const text =
    '# nameserver 192.0.2.9\n;x\nsearch example\nnameserver 127.0.0.53\n  nameserver\t::1\nnameserver nonsense\n';
  expect(parseResolvConf(text)).toEqual([server('127.0.0.53'), server('::1')]);
});

test('as in the C library, the fourth is not used and an empty list means this machine', () => {
  const text = [1, 2, 3, 4].map((last) => `nameserver 192.0.2.${String(last)}`).join('\n');
  expect(parseResolvConf(text)).toEqual([1, 2, 3].map((last) => server(`192.0.2.${String(last)}`)));
  expect(parseResolvConf('')).toEqual([server('127.0.0.1')]);
});

async function file(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-resolv-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return join(directory, 'resolv.conf');
}

test('a file changed in place or put in its place is read again within a second', async () => {
  const path = await file();
  const clock = new FakeClock();
  await writeFile(path, 'nameserver 192.0.2.1\n');
  const conf = new ResolvConf(path, clock);
  expect(await conf.current()).toEqual([server('192.0.2.1')]);
  await writeFile(path, 'nameserver 192.0.2.22\n');
  expect(await conf.current()).toEqual([server('192.0.2.1')]);
  clock.advance(1000);
  expect(await conf.current()).toEqual([server('192.0.2.22')]);
  await writeFile(`${path}.new`, 'nameserver 192.0.2.33\n');
  await rename(`${path}.new`, path);
  clock.advance(1000);
  expect(await conf.current()).toEqual([server('192.0.2.33')]);
});

test('a file that goes away leaves the servers as they were, and is read when it is back', async () => {
  const path = await file();
  const clock = new FakeClock();
  await writeFile(path, 'nameserver 192.0.2.1\n');
  const conf = new ResolvConf(path, clock);
  await conf.current();
  await rm(path);
  clock.advance(1000);
  expect(await conf.current()).toEqual([server('192.0.2.1')]);
  await writeFile(path, 'nameserver 192.0.2.2\n');
  clock.advance(1000);
  expect(await conf.current()).toEqual([server('192.0.2.2')]);
});

test('queries that come together wait for the first reading', async () => {
  const path = await file();
  await writeFile(path, 'nameserver 192.0.2.1\n');
  const conf = new ResolvConf(path, new FakeClock());
  const answers = await Promise.all([conf.current(), conf.current(), conf.current()]);
  expect(answers).toEqual(Array(3).fill([server('192.0.2.1')]));
});
