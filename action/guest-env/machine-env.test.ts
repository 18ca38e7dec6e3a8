import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMachineEnv } from './machine-env.ts';

let procFolder: string;

beforeEach(() => {
  procFolder = mkdtempSync(path.join(tmpdir(), 'offshoot-proc-'));
});

afterEach(() => {
  rmSync(procFolder, { recursive: true, force: true });
});

function process_(pid: number, parent: number, environ: string | Buffer): void {
  mkdirSync(path.join(procFolder, String(pid)));
  writeFileSync(path.join(procFolder, String(pid), 'environ'), environ);
  writeFileSync(path.join(procFolder, String(pid), 'stat'), `${String(pid)} (a ) b (c) S ${String(parent)} 1 1 0`);
}

const step = { GITHUB_OUTPUT: '/files/output_1', FOO: 'x' };

test('the environment of the parent, as it was started', () => {
  process_(7, 1, 'A=1\0B=x=y\nz\0EMPTY=\0=odd\0nothing\0');
  expect(readMachineEnv({ procFolder, parentPid: 7, env: step })).toEqual({ A: '1', B: 'x=y\nz', EMPTY: '' });
});

test('processes of the same step in between are passed over, those of another step are not', () => {
  process_(9, 8, 'GITHUB_OUTPUT=/files/output_1\0FOO=x\0');
  process_(8, 7, 'GITHUB_OUTPUT=/files/output_1\0');
  process_(7, 1, 'A=1\0GITHUB_OUTPUT=/files/output_of_an_outer_job\0');
  expect(readMachineEnv({ procFolder, parentPid: 9, env: step })).toEqual({
    ...{ A: '1', GITHUB_OUTPUT: '/files/output_of_an_outer_job' },
  });
});

test('what can not be read is undefined: no such process, an empty file, one too large, only steps up to the top', () => {
  const read = (parentPid: number) => readMachineEnv({ procFolder, parentPid, env: step });
  expect(read(5)).toBeUndefined();
  expect(read(0)).toBeUndefined();
  process_(6, 1, '');
  expect(read(6)).toBeUndefined();
  process_(7, 1, Buffer.alloc(9 * 1024 * 1024, 'A=1\0'));
  expect(read(7)).toBeUndefined();
  process_(8, 8, 'GITHUB_OUTPUT=/files/output_1\0');
  expect(read(8)).toBeUndefined();
});

test('a real child finds its real parent, through a shell that has the environment of the step', async () => {
  const program = `
    import { readMachineEnv } from ${JSON.stringify(path.join(import.meta.dirname, 'machine-env.ts'))};
    process.stdout.write(JSON.stringify(readMachineEnv() ?? null));`;
  const child = spawn('/bin/sh', ['-c', '"$0" --input-type=module -e "$1"; exit $?', process.execPath, program], {
    env: { ...process.env, GITHUB_OUTPUT: '/files/of-this-test', ONLY_THE_STEP: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  const found = JSON.parse(printed) as Record<string, string>;
  expect(found['PATH']).toBeDefined();
  expect(found['ONLY_THE_STEP']).toBeUndefined();
});
