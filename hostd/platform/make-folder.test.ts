import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'offshoot-folder-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('makes what is missing and leaves what is there', () => {
  makeFolder(join(folder, 'a/b/c'), 0o711);
  makeFolder(join(folder, 'a/b/c'), 0o700);
  expect(statSync(join(folder, 'a/b/c')).mode & 0o777).toBe(0o711);
});

it('fails where no folder can be', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(folder, 'file/x'))).toThrow(/ENOTDIR|EEXIST/);
  expect(() => makeFolder('/proc/nothing/x')).toThrow(/ENOENT/);
});
