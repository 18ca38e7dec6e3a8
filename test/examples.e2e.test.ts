import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

/** So few that a fork can ask for more. */
const maxSandboxes = 5;
const suite = useHostd({ sandboxes: { maxSandboxes } });
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

  test('build-with-allowlist', async () => {
    // What is denied goes nowhere: the test needs no network, and the allowed host is not asked for.
    const command = 'curl -sS http://downloads.example.com/tool; curl -sS telnet://192.0.2.10:22; exit 3';
    const { code, stdout, stderr } = await run('build-with-allowlist.ts', command, 'packages.example.com');
    expect(stderr).toContain('Could not resolve host: downloads.example.com');
    expect(stderr).toMatch(/connect to 192\.0\.2\.10 port 22/);
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('denied: ')).toSorted()).toEqual([
      'denied: 192.0.2.10 port 22, address',
      'denied: downloads.example.com, dns-name',
    ]);
    expect({ code, list: lines.slice(lines.indexOf('rules that allow it, if it is meant:') + 1) }).toEqual({
      code: 3,
      list: ['packages.example.com:443', '192.0.2.10:22', 'downloads.example.com:443'],
    });
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

  test('fork-a-server', async () => {
    const { code, stdout, stderr } = await run('fork-a-server.ts');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'copy 0: prepared, then changed in copy 0',
        'copy 1: prepared, then changed in copy 1',
        'copy 2: prepared, then changed in copy 2',
        'source: prepared\n',
      ].join('\n'),
      stderr: '',
    });
  });

  test('partly-failed-fork', async () => {
    const { code, stdout, stderr } = await run('partly-failed-fork.ts', String(maxSandboxes + 1));
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'copy 4 did not start: capacity-exhausted',
        'copy 5 did not start: capacity-exhausted',
        '4 that ran were stopped',
        'the source is running\n',
      ].join('\n'),
      stderr: '',
    });
    expect((await run('partly-failed-fork.ts', '2')).stdout).toContain('all 2 copies run');
  });

  test('snapshot-today', async () => {
    const name = `example-${String(process.pid)}`;
    const kept = await run('snapshot-today.ts', 'keep', name);
    expect(kept.stderr).toBe('');
    expect(kept.stdout).toMatch(new RegExp(`^kept as ${name}: [1-9]\\d* MiB until 20\\d\\d-`));
    await suite.hostd.stop();
    await suite.hostd.start();
    expect(await run('snapshot-today.ts', 'use', name)).toEqual({
      code: 0,
      stdout: `built today; the counter goes on\n${name} is removed\n`,
      stderr: '',
    });
    expect(await suite.client.snapshots.list()).toEqual([]);
  });

  test('tree-search', async () => {
    expect(await run('tree-search.ts')).toEqual({
      code: 0,
      stdout: [
        'level 1: n + 7, 41 from the goal',
        'level 2: n * 3, 23 from the goal',
        'level 3: n + 7, 16 from the goal',
        '34 in a sandbox of generation 4\n',
      ].join('\n'),
      stderr: '',
    });
  });

  test('every program there is was run, and none left a sandbox', async () => {
    expect((await readdir(programs)).sort()).toEqual([
      'build-with-allowlist.ts',
      'fork-a-server.ts',
      'interactive.ts',
      'leave-and-come-back.ts',
      'many-at-once.ts',
      'partly-failed-fork.ts',
      'snapshot-today.ts',
      'test-a-project.ts',
      'tree-search.ts',
    ]);
    expect(await Sandbox.list({ connection: { host: suite.host } })).toEqual([]);
  });
});
