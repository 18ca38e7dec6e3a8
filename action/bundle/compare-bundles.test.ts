import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareBundles } from './compare-bundles.ts';
import { toolchainFile } from './layout.ts';
import { writeSums } from './sums.ts';

let root = '';
let committed = '';
let made = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'offshoot-compare-'));
  [committed, made] = [path.join(root, 'committed'), path.join(root, 'made')];
  await mkdir(path.join(committed, 'native'), { recursive: true });
  await writeFile(path.join(committed, 'native/launcher'), 'machine code');
  await writeFile(path.join(committed, 'action.mjs'), 'code');
  await writeFile(path.join(committed, toolchainFile), 'gcc 12\nld 2.40\n');
  await writeSums(committed);
  await cp(committed, made, { recursive: true });
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function change(file: string, text: string): Promise<void> {
  await writeFile(path.join(made, file), text);
  await writeSums(made);
}

describe('a bundle made again', () => {
  it('is the same', async () => {
    expect(await compareBundles(committed, made)).toEqual([]);
  });

  it('has to be there', async () => {
    await rm(committed, { recursive: true });
    expect(await compareBundles(committed, made)).toEqual([expect.stringContaining('There is no bundle')]);
  });

  it('names code that differs, in content or mode, is new or gone', async () => {
    await change('action.mjs', 'other code');
    expect(await compareBundles(committed, made)).toEqual([expect.stringMatching(/its sources make: action\.mjs\./)]);
    await change('action.mjs', 'code');
    await change('chunk.mjs', 'more');
    expect(await compareBundles(committed, made)).toEqual([expect.stringMatching(/make: chunk\.mjs\./)]);
    expect(await compareBundles(made, committed)).toEqual([expect.stringMatching(/make: chunk\.mjs\./)]);
    await rm(path.join(made, 'chunk.mjs'));
    await chmod(path.join(made, 'action.mjs'), 0o755);
    expect(await compareBundles(committed, made)).toEqual([expect.stringMatching(/make: action\.mjs\./)]);
  });

  it('names both compilers when only they may be why binaries differ', async () => {
    await change('native/launcher', 'other machine code');
    expect(await compareBundles(committed, made)).toEqual([expect.not.stringContaining('gcc')]);
    await change(toolchainFile, 'gcc 13\nld 2.41\n');
    expect(await compareBundles(committed, made)).toEqual([
      expect.stringMatching(/native\/launcher.*made with gcc 12, ld 2\.40, this machine has gcc 13, ld 2\.41/),
    ]);
  });

  it('may come from another compiler that makes the same', async () => {
    await change(toolchainFile, 'gcc 13\nld 2.41\n');
    expect(await compareBundles(committed, made)).toEqual([]);
  });

  it('has the sums of its files', async () => {
    await writeFile(path.join(made, 'SHA256SUMS'), '');
    expect(await compareBundles(committed, made)).toEqual([expect.stringContaining('does not fit')]);
  });
});
