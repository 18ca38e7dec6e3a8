import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConsoleTail, readExit, unrecordedExit } from './exit-record.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exit-'));
});

afterEach(() => rm(folder, { recursive: true }));

const put = (name: string, text: string) => writeFile(join(folder, name), text);

async function exitOf(record: Record<string, unknown>, consoleText = '') {
  const whole = {
    exitCode: 0,
    signalNumber: null,
    cpuSeconds: 1.5,
    peakMemoryKiB: 2049,
    killRequested: false,
    ...record,
  };
  await put('exit.json', JSON.stringify(whole));
  await put('console.log', consoleText);
  return readExit(folder);
}

test.each([
  [{}, '', 'guest-shutdown'],
  [{}, 'Kernel panic - not syncing: Attempted to kill init', 'guest-panic'],
  [{ exitCode: 1 }, '', 'vmm-crashed'],
  [{ exitCode: null, signalNumber: 11 }, '', 'vmm-crashed'],
  [{ exitCode: null, signalNumber: 9 }, '', 'vmm-killed'],
  [{ exitCode: null, signalNumber: 9, killRequested: true }, 'Kernel panic', 'killed-by-us'],
])('%j with console %j is %s', async (record, consoleText, cause) => {
  expect(await exitOf(record, consoleText)).toMatchObject({ cause });
});

test('figures and signal names', async () => {
  expect(await exitOf({ exitCode: null, signalNumber: 6 }, 'last words\n')).toEqual({
    exitCode: null,
    signal: 'SIGABRT',
    cpuSeconds: 1.5,
    peakMemoryMiB: 3,
    cause: 'vmm-crashed',
    consoleTail: 'last words\n',
  });
});

test('no record, half a record and another record are no exit', async () => {
  expect(await readExit(folder)).toBeUndefined();
  await put('exit.json', '{"exitCode":0,"sig');
  expect(await readExit(folder)).toBeUndefined();
  await put('exit.json', '{"exitCode":"zero"}');
  expect(await readExit(folder)).toBeUndefined();
  expect(await unrecordedExit(folder)).toMatchObject({ cause: 'unknown', consoleTail: '' });
});

test('the tail is the end of all parts in order, at most 4 KiB, with what the VMM said', async () => {
  await put('console.log', `${'h'.repeat(5000)}\n`);
  await put('console.older.log', `${'o'.repeat(3000)}older ends\n`);
  await put('console.tail.log', 'tail ends\n');
  await put('vmm.log', 'qemu-system-x86_64: boom\n');
  const tail = await readConsoleTail(folder);
  expect(tail.length).toBeLessThanOrEqual(4096);
  expect(tail).toMatch(/^h+\no+older ends\ntail ends\n\nVMM: qemu-system-x86_64: boom$/);
});

test('a hostile console is made printable', async () => {
  await put('console.log', 'a\u001b[31mred\u0007\r\nb\u0000c');
  expect(await readConsoleTail(folder)).toBe('a\ufffd[31mred\ufffd\nb\ufffdc');
});
