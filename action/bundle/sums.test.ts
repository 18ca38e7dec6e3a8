import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSums, sumsFile, writeSums } from './sums.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-sums-'));
  await mkdir(path.join(folder, 'native'));
  await writeFile(path.join(folder, 'native/launcher'), 'machine code');
  await writeFile(path.join(folder, 'action.mjs'), 'code');
  await writeSums(folder);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the sums of a bundle', () => {
  it('fit what they were made of', async () => {
    expect(await checkSums(folder)).toEqual([]);
  });

  it('name a file that was changed, is gone or was put in', async () => {
    await writeFile(path.join(folder, 'native/launcher'), 'machine c0de');
    await rm(path.join(folder, 'action.mjs'));
    await writeFile(path.join(folder, 'native/extra'), '');
    expect(await checkSums(folder)).toEqual([
      'action.mjs is missing',
      'native/launcher is not what it was when it was bundled',
      'native/extra does not belong there',
    ]);
  });

  it('are missed when they are gone', async () => {
    await rm(path.join(folder, sumsFile));
    expect(await checkSums(folder)).toEqual([`${sumsFile} is missing`]);
  });
});
