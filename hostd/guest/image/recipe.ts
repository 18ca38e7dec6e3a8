import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { installation } from '../../platform/installation.ts';

const debianPackage = z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'not a Debian package name');
const npmName = z.string().regex(/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/, 'not an npm package name');
const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'pin one exact version');
const insidePath = z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0]+$/, 'a relative path without ..');
const guestPath = z.string().regex(/^\/(?!.*(^|\/)\.\.(\/|$))[^\0]*$/, 'an absolute path without ..');

const npmPackageSchema = z.strictObject({
  name: npmName,
  version: exactVersion,
  /** Where the package's content goes in the guest. */
  into: guestPath,
  /** Top-level entries to take; all when absent. */
  keep: z.array(insidePath).optional(),
  /** Commands to link into /usr/local/bin: name to file within the package. */
  commands: z.record(z.string().regex(/^[a-z0-9._-]+$/i), insidePath).optional(),
});

/** A recipe file: recipes/README.md explains each field. */
export const recipeSchema = z
  .strictObject({
    description: z.string(),
    suite: z.string(),
    suites: z.record(
      z.string().regex(/^[a-z]+$/),
      z.strictObject({
        distribution: z.enum(['debian', 'ubuntu']),
        kernelPackage: debianPackage,
        minMemoryMiB: z.number().int().min(64),
      }),
    ),
    diskMiB: z.number().int().min(512).max(1_048_576),
    packages: z.array(debianPackage),
    npmPackages: z.array(npmPackageSchema),
    kernelArguments: z.array(z.string().regex(/^[\x21-\x7e]+$/)),
    environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().regex(/^[^\n\0]*$/)),
    steps: z.array(z.strictObject({ name: z.string().min(1), run: z.string().min(1) })),
  })
  .refine((recipe) => recipe.suite in recipe.suites, { path: ['suite'], message: 'is not among suites' });

export type Recipe = z.infer<typeof recipeSchema>;
export type NpmPackage = z.infer<typeof npmPackageSchema>;
export type RecipeSuite = Recipe['suites'][string];

/** Reads recipes/NAME.json. Throws `invalid-request` for a name that is none and `image-build-failed` for a file that is not valid. */
export async function loadRecipe(name: string, directory = installation.recipesDirectory): Promise<Recipe> {
  const unknown = () =>
    new OffshootError('invalid-request', {
      message: `There is no image recipe named ${JSON.stringify(name.slice(0, 80))}.`,
    });
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) throw unknown();
  const file = path.join(directory, `${name}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw unknown();
  const parsed = recipeSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new OffshootError('image-build-failed', {
    message: `The recipe ${file} is not valid: ${z.prettifyError(parsed.error)}`,
  });
}

/** The suite to build, with what the recipe knows of it. Throws `invalid-request` for one it does not know. */
export function suiteOf(recipe: Recipe, asked: string | undefined): RecipeSuite & { name: string } {
  const name = asked ?? recipe.suite;
  const suite = Object.hasOwn(recipe.suites, name) ? recipe.suites[name] : undefined;
  if (suite !== undefined) return { name, ...suite };
  throw new OffshootError('invalid-request', {
    message: `The recipe does not know the suite ${JSON.stringify(name.slice(0, 80))}; it knows ${Object.keys(recipe.suites).join(', ')}.`,
  });
}

/** Packages of the recipe and those asked for, sorted, each once. Throws `invalid-request` for a name that is none. */
export function packagesOf(recipe: Recipe, include: readonly string[]): string[] {
  const bad = include.find((name) => !debianPackage.safeParse(name).success);
  if (bad !== undefined) {
    throw new OffshootError('invalid-request', {
      message: `${JSON.stringify(bad.slice(0, 80))} is not a Debian package name.`,
    });
  }
  return [...new Set([...recipe.packages, ...include])].sort();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return { notJson: String(error) };
  }
}
