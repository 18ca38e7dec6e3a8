import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RunnerPath } from './runner-path.ts';

// not beneath the folders for temporary files, where nothing may come from and where the checkout may lie
const places = ['/var/lib', '/opt', path.resolve(import.meta.dirname, '../../build')];
let folder: string;

function makeFolder(): string {
  for (const place of places) {
    try {
      mkdirSync(place, { recursive: true });
      return mkdtempSync(path.join(place, 'offshoot-runner-path-'));
    } catch {
      continue; // not for this user
    }
  }
  throw new Error(`none of ${places.join(', ')} can be written to`);
}

beforeEach(() => {
  folder = makeFolder();
  for (const name of ['workspace/bin', 'temp', 'home', 'tools/bin'])
    mkdirSync(path.join(folder, name), { recursive: true });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const within = (name: string): string => `${folder}/${name}`;
const machine = (): RunnerPath =>
  new RunnerPath(
    {
      GITHUB_WORKSPACE: within('workspace'),
      RUNNER_TEMP: within('temp'),
      HOME: within('home'),
      TMPDIR: within('scratch'),
    },
    [within('artifacts')],
  );

test('folders of the machine are allowed, whether they exist or not', () => {
  for (const name of ['/usr/bin', '/opt/none/bin', within('tools/bin'), within('workspace-not'), within('tempting')])
    expect(machine().allows(name), name).toBe(true);
  expect(machine().allows(`/usr/bin:${within('tools/bin')}`)).toBe(true);
});

test('what the job, the guest or anybody can fill is not', () => {
  const closed = [
    'workspace',
    'workspace/bin',
    'workspace/none/x',
    'temp/x',
    'home/.local/bin',
    'scratch/bin',
    'artifacts',
    'tools/../workspace/bin',
  ];
  for (const name of [...closed.map(within), `${homedir()}/bin`, `/usr/bin:${within('temp')}`])
    expect(machine().allows(name), name).toBe(false);
  for (const name of [
    '/proc/self/cwd/bin',
    '/proc/1/root',
    '/dev/shm/x',
    '/sys/x',
    '/run/x',
    '/tmp/x',
    '/var/tmp',
    '/tmp',
    '//tmp//x',
    '/./tmp/x',
  ])
    expect(machine().allows(name), name).toBe(false);
});

test('links are followed, also those that lead to nothing yet, and from the closed folders themselves', () => {
  symlinkSync(within('workspace/bin'), within('tools/link'));
  symlinkSync('../workspace/later', within('tools/dangling'));
  symlinkSync('/proc/self/cwd', within('tools/cwd'));
  symlinkSync('circle', within('tools/circle'));
  symlinkSync(within('workspace/bin'), within('deep'));
  for (const name of [
    'tools/link',
    'tools/link/x',
    'tools/dangling',
    'tools/dangling/x',
    'tools/cwd',
    'tools/circle',
    'deep/../bin',
  ])
    expect(machine().allows(within(name)), name).toBe(false);
  symlinkSync(within('tools'), within('workspace-link'));
  const linked = new RunnerPath({ GITHUB_WORKSPACE: within('workspace-link'), HOME: within('home') }, []);
  expect(linked.allows(within('tools/bin'))).toBe(false);
});

test('what is no absolute path is not', () => {
  for (const name of ['bin', '.', '', '~/bin', '/opt/a:', ':/opt/a', '/opt/a:.'])
    expect(machine().allows(name), name).toBe(false);
});
