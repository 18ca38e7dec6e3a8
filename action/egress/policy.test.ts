import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunOptions, Runner } from '../../hostd/platform/run.ts';
import { policyOf } from './policy.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-policy-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const ask = (egress?: string, mode?: 'enforce' | 'audit' | 'open' | 'none') =>
  policyOf({ egress, 'egress-mode': mode }, folder);

test('a list alone is enforced, a mode alone has no rules, and nothing is the host’s own', async () => {
  const list = 'a.example.com:443 # why\n*.b.example.com';
  expect(await ask(list)).toEqual({ mode: 'enforce', allow: [list] });
  expect(await ask(list, 'audit')).toEqual({ mode: 'audit', allow: [list] });
  expect(await ask(undefined, 'enforce')).toEqual({ mode: 'enforce', allow: [] });
  expect(await ask('# nothing yet')).toEqual({ mode: 'enforce', allow: ['# nothing yet'] });
  expect(await ask()).toBeUndefined();
});

test('auto: rules are those of the runner, and never of what lies in the workspace', async () => {
  const asked: RunOptions[] = [];
  const runner: Runner = {
    run: async (_command, _args, options = {}) => {
      asked.push(options);
      expect(await readdir(options.cwd ?? '')).toEqual([]);
      return { code: 0, signal: null, stdout: '{"registry":"https://npm.example.com/"}', stderr: '' };
    },
  };
  const resolve = () => Promise.resolve(['192.0.2.1']);
  let log = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    log += String(text);
    return true;
  });
  const inputs = { egress: 'auto:npm\ngit.example.com:22', 'egress-mode': undefined };
  expect(await policyOf(inputs, folder, { runner, resolve })).toEqual({
    mode: 'enforce',
    allow: ['npm.example.com:443', 'git.example.com:22'],
  });
  expect(log).toBe('egress with auto: filled in from this runner: npm.example.com:443 git.example.com:22\n');
  const list = Array.from({ length: 103 }, (_, n) => `n${String(n)}.example.com`).join(' ');
  await policyOf({ ...inputs, egress: `${list} auto:npm` }, folder, { runner, resolve });
  expect(log).toMatch(/ n99\.example\.com and 4 more\n$/);
  log = '';
  await policyOf({ ...inputs, egress: list }, folder, { runner, resolve });
  expect(log).toBe('');
  expect(new Set(asked.map(({ cwd }) => path.dirname(cwd ?? '')))).toEqual(new Set([folder]));
  expect(await readdir(folder)).toEqual([]);
});

test('what an auto: rule can not be filled in with is an error before there is a sandbox', async () => {
  await expect(ask('auto:cargo')).rejects.toMatchObject({ code: 'egress-rules-invalid' });
  expect(await readdir(folder)).toEqual([]);
});
