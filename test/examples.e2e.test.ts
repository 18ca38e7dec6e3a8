import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();
const programs = path.resolve(import.meta.dirname, '..', 'examples', 'sdk');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-examples-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function run(program: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, OFFSHOOT_HOST: suite.host } };
    execFile(process.execPath, [path.join(programs, program), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('programs a reader can copy', () => {
  test('test-a-project', async () => {
    await writeFile(path.join(folder, 'main.py'), 'print("tested"); open("report.txt", "w").write("fine")');
    const { code, stdout } = await run('test-a-project.ts', folder, 'python3 main.py; exit 4', 'report.txt');
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'tested\n' });
    expect(await readFile(path.join(folder, 'report.txt'), 'utf8')).toBe('fine');
  });

  test('leave-and-come-back', async () => {
    const { code, stdout } = await run('leave-and-come-back.ts');
    expect(code).toBe(0);
    for (const shown of ['at byte 0', 'step 5', 'exit code 7']) expect(stdout).toContain(shown);
  });

  test('many-at-once', async () => {
    const { code, stdout, stderr } = await run('many-at-once.ts');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^Python 3/);
    expect(lines[1]).toMatch(/^v24\./);
    expect(lines[2]).toContain('gcc');
    expect(lines[3]).toBe('no-such-tool --version: exit code 127');
  });

  test('interactive', async () => {
    const { code, stdout } = await run('interactive.ts');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '6 * 7 = 42\n2 ** 100 = 1267650600228229401496703205376\n"ab" * 3 = ababab\nended by SIGTERM\n',
    });
  });

  test('every program there is was run, and none left a sandbox', async () => {
    expect((await readdir(programs)).sort()).toEqual([
      'interactive.ts',
      'leave-and-come-back.ts',
      'many-at-once.ts',
      'test-a-project.ts',
    ]);
    expect(await Sandbox.list({ connection: { host: suite.host } })).toEqual([]);
  });
});
