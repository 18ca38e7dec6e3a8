import fc from 'fast-check';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mergeBack, type MergeOptions, type Merged } from './merge.ts';
import type { GuestFileCommands } from './read.ts';
import { sessionBytesOf } from './limits.ts';
import { RunnerFiles } from './testing/runner-files.ts';

let runner: RunnerFiles;
let warnings: string[];

beforeEach(() => {
  runner = new RunnerFiles();
  warnings = [];
});

afterEach(() => {
  runner[Symbol.dispose]();
});

async function merge(commands: Partial<GuestFileCommands>, options: MergeOptions = {}): Promise<Merged> {
  const nothing = { outputs: [], env: [], path: [], summary: undefined, warnings: [] };
  return mergeBack({ ...nothing, ...commands }, runner.env, (message) => warnings.push(message), options);
}

const named = (...pairs: [string, string][]) => pairs.map(([name, value]) => ({ name, value }));

test('outputs, variables, folders and the summary reach the files, each once and in order', async () => {
  const merged = await merge({
    outputs: named(['b', '2'], ['a', 'one\r\ntwo'], ['b', '3']),
    env: named(['A', '1'], ['B', '']),
    path: ['/opt/one', '/opt/two'],
    summary: Buffer.from([0x23, 0xff, 0x00]),
  });
  expect(runner.pairs('GITHUB_OUTPUT')).toEqual([
    ...[
      ['b', '2'],
      ['a', 'one\r\ntwo'],
      ['b', '3'],
    ],
  ]);
  expect(runner.pairs('GITHUB_ENV')).toEqual([
    ['A', '1'],
    ['B', ''],
  ]);
  expect(runner.paths()).toEqual(['/opt/one', '/opt/two']);
  expect(runner.bytes('GITHUB_STEP_SUMMARY')).toEqual(Buffer.from([0x23, 0xff, 0x00]));
  expect(merged).toEqual({ env: named(['A', '1'], ['B', '']), path: ['/opt/one', '/opt/two'] });
  expect(runner.env).toMatchObject({ A: '1', B: '' });
  expect(warnings).toEqual([]);
});

test('an unfinished last line of another writer is ended first, and no line is empty', async () => {
  for (const [already, first] of [
    ['', ''],
    ['X=whole\n', ''],
    ['X=cut', '\n'],
  ] as const) {
    for (const name of ['GITHUB_OUTPUT', 'GITHUB_PATH']) writeFileSync(runner.env[name] ?? '', already);
    await merge({ outputs: named(['a', '1']), path: ['/opt/one'] });
    expect(runner.bytes('GITHUB_PATH').toString()).toBe(`${already}${first}/opt/one\n`);
    expect(runner.bytes('GITHUB_OUTPUT').toString()).toMatch(new RegExp(`^${already}${first}a<<(\\S+)\\n1\\n\\1\\n$`));
  }
});

test('nothing set leaves the files as they were', async () => {
  await merge({ summary: Buffer.alloc(0) });
  for (const name of ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'])
    expect(runner.bytes(name).length).toBe(0);
});

test('values arrive equal, whatever they hold', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc
      .array(fc.constantFrom('\n', '\r', '<<', '=', 'offshoot_', 'EOF', 'a=b\n', '\ufeff', '\0'), { maxLength: 12 })
      .map((parts) => parts.join('')),
  );
  const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[=\n\r]|<<|<$|\0/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (pairs) => {
      using files = new RunnerFiles();
      const commands = { outputs: named(...pairs), env: [], path: [], summary: undefined, warnings: [] };
      await mergeBack(commands, files.env, (message) => warnings.push(message), { reservedOutputs: [] });
      expect(files.pairs('GITHUB_OUTPUT')).toEqual(pairs);
    }),
    { numRuns: 100 },
  );
  expect(warnings).toEqual([]);
});

test('a line that another writer left unfinished stays its own', async () => {
  for (const variable of ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH'])
    appendFileSync(runner.env[variable] ?? '', 'X=/mine');
  await merge({ outputs: named(['a', '1']), env: named(['B', '2']), path: ['/opt/one'] });
  expect(runner.pairs('GITHUB_OUTPUT')).toEqual([
    ['X', '/mine'],
    ['a', '1'],
  ]);
  expect(runner.pairs('GITHUB_ENV')).toEqual([
    ['X', '/mine'],
    ['B', '2'],
  ]);
  expect(runner.paths()).toEqual(['X=/mine', '/opt/one']);
});

test("the action's own outputs are kept, also from other cases", async () => {
  const outputs = named(['sandbox-id', 'x'], ['Exit-Code', '0'], ['mine', '1']);
  await merge({ outputs });
  expect(runner.pairs('GITHUB_OUTPUT')).toEqual([['mine', '1']]);
  expect(warnings).toEqual([expect.stringMatching(/output of the action itself: "sandbox-id", "Exit-Code"\.$/)]);
  await merge({ outputs }, { reservedOutputs: [] });
  expect(runner.pairs('GITHUB_OUTPUT')).toHaveLength(4);
});

test('names that could take over the runner stay in the sandbox, and are named', async () => {
  const env = named(
    ['LD_PRELOAD', '/tmp/x.so'],
    ['bash_env', '/tmp/x'],
    ['https_proxy', 'http://x'],
    ['ACTIONS_RUNTIME_URL', 'x'],
    ['FINE', '1'],
  );
  const merged = await merge({ env });
  expect(runner.pairs('GITHUB_ENV')).toEqual([['FINE', '1']]);
  expect(merged.env).toEqual(env);
  expect(runner.env['LD_PRELOAD']).toBeUndefined();
  expect(warnings).toEqual([
    expect.stringMatching(/: "LD_PRELOAD", "bash_env", "https_proxy", "ACTIONS_RUNTIME_URL"\.$/),
  ]);
  expect(warnings[0]).not.toContain('/tmp/x.so');
});

test('what a runner does not let a step set, the sandbox has not either', async () => {
  const merged = await merge({ env: named(['NODE_OPTIONS', '-r x'], ['GITHUB_SHA', 'x'], ['RUNNER_TEMP', 'x']) });
  expect(merged.env).toEqual([]);
  expect(runner.bytes('GITHUB_ENV').length).toBe(0);
  expect(warnings).toEqual([
    expect.stringMatching(/taken from no step by any runner: "NODE_OPTIONS"\.$/),
    expect.stringMatching(/set by the runner alone: "GITHUB_SHA", "RUNNER_TEMP"\.$/),
  ]);
});

test('a variable that no program could be started with is left out of both', async () => {
  const fits = 'x'.repeat(131_071 - 'A='.length);
  const merged = await merge({ env: named(['A', fits], ['B', `${fits}x`], ['C', 'a\0b'], ['D\0', 'x'], ['E<', 'x']) });
  expect(merged.env).toEqual(named(['A', fits]));
  expect(runner.pairs('GITHUB_ENV')).toEqual([['A', fits]]);
  expect(warnings.join('\n')).toMatch(/"B"/);
  expect(warnings.join('\n')).toMatch(/"C", "D\\u0000", "E<"/);
});

test("folders that are relative or filled by the guest don't come onto the runner's PATH, in one warning", async () => {
  const path = [
    'bin',
    '.',
    '/opt/a:.',
    '/opt/a:',
    '/w/artifacts',
    '/w/x/../artifacts/bin',
    '/w/artifacts-not',
    '/opt/a:/opt/b',
    '/opt/\0',
  ];
  const merged = await merge({ path }, { guestFilledFolders: ['/w/artifacts/'] });
  expect(runner.paths()).toEqual(['/w/artifacts-not', '/opt/a:/opt/b']);
  expect(merged.path).toEqual(path.slice(0, -1));
  expect(warnings.filter((warning) => warning.includes('not absolute'))).toEqual([
    expect.stringMatching(
      /: "bin", "\.", "\/opt\/a:\.", "\/opt\/a:", "\/w\/artifacts", "\/w\/x\/\.\.\/artifacts\/bin"\.$/,
    ),
  ]);
});

test('many tiny outputs are bounded, and said', async () => {
  const outputs = Array.from({ length: 200_000 }, () => ({ name: 'a', value: '' }));
  await merge({ outputs });
  expect(runner.pairs('GITHUB_OUTPUT')).toHaveLength(10_000);
  expect(statSync(runner.env['GITHUB_OUTPUT'] ?? '').size).toBeLessThan(2 * 1024 * 1024);
  expect(warnings).toEqual([expect.stringContaining('10000')]);
});

test('the environment of later steps stays far below what Linux takes, for a step and for all of a sandbox', async () => {
  const variables = (count: number) =>
    named(...Array.from({ length: count }, (_, at): [string, string] => [`V${String(at)}`, 'x'.repeat(64 * 1024)]));
  const first = await merge({ env: [...variables(5), ...named(['SMALL', '1'])] });
  expect(first.env.map(({ name }) => name)).toEqual(['V0', 'V1', 'V2', 'SMALL']);
  expect(runner.pairs('GITHUB_ENV')).toHaveLength(4);
  expect(warnings).toEqual([expect.stringMatching(/too large.*: "V3", "V4"\.$/)]);
  const sessionBytes = { env: 512 * 1024 - 100, path: 0 };
  const later = await merge({ env: named(['FITS', '1'], ['NOT', 'x'.repeat(100)]) }, { sessionBytes });
  expect(later.env).toEqual(named(['FITS', '1']));
});

test('PATH stays one variable that Linux takes, for all of a sandbox', async () => {
  const entry = (at: number): string => `/opt/${String(at)}/${'x'.repeat(1000)}`;
  const merged = await merge({ path: Array.from({ length: 100 }, (_, at) => entry(at)) });
  expect(merged.path.join(':').length).toBeLessThanOrEqual(64 * 1024);
  expect(merged.path.length).toBeGreaterThan(60);
  expect(runner.paths()).toEqual(merged.path);
  expect(warnings).toEqual([expect.stringContaining('PATH too long')]);
  const full = await merge({ path: ['/opt/y'] }, { sessionBytes: { env: 0, path: 64 * 1024 - 6 } });
  expect(full.path).toEqual([]);
});

test('what a session holds is counted once for each name and folder, at its last value', () => {
  expect(sessionBytesOf(named(['A', 'long value'], ['A', 'x']), ['/a', '/bc', '/a'])).toEqual({ env: 12, path: 7 });
});

test('a summary goes in whole or not at all, with room for what is there and for our own', async () => {
  writeFileSync(runner.env['GITHUB_STEP_SUMMARY'] ?? '', 'x'.repeat(1000));
  const room = 1024 * 1024 - 1000 - 500;
  await merge({ summary: Buffer.alloc(room + 1, 'y') }, { summaryReserveBytes: 500 });
  expect(runner.bytes('GITHUB_STEP_SUMMARY').length).toBe(1000);
  expect(warnings).toEqual([
    expect.stringContaining(`${String(room + 1)} bytes, and the runner has room for ${String(room)}`),
  ]);
  await merge({ summary: Buffer.alloc(room, 'y') }, { summaryReserveBytes: 500 });
  expect(runner.bytes('GITHUB_STEP_SUMMARY').length).toBe(1000 + room);
});

test('what was wrong in the guest is passed on; a runner without the files is an error that names one', async () => {
  await merge({ warnings: ['GITHUB_ENV: no.'] });
  expect(warnings).toEqual(['GITHUB_ENV: no.']);
  runner.env['GITHUB_ENV'] = '';
  await expect(merge({ env: named(['A', '1']) })).rejects.toMatchObject({
    code: 'local-file-error',
    message: expect.stringContaining('GITHUB_ENV') as string,
  });
});
