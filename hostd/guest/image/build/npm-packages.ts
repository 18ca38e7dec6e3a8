import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { runChecked } from '../../../platform/run.ts';
import type { NpmPackage } from '../recipe.ts';
import { rootOf, stepTimeoutMs, type BuildContext } from './context.ts';
import { placeFolder } from './place.ts';

/** Fetches the recipe's npm packages with the host's npm (its registry, certificates and cache) and unpacks them in the guest. */
export async function installNpmPackages(context: BuildContext): Promise<void> {
  const { npmPackages } = context.plan.recipe;
  const downloads = path.join(context.workDirectory, 'npm');
  for (const [index, entry] of npmPackages.entries()) {
    const into = path.join(downloads, String(index));
    await mkdir(into, { recursive: true });
    const pinned = `${entry.name}@${entry.version}`;
    await runChecked(context.runner, 'npm', ['pack', pinned, '--ignore-scripts', '--pack-destination', into], {
      cwd: into,
      timeoutMs: stepTimeoutMs,
    });
    const tarball = (await readdir(into)).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error(`npm pack ${pinned} left no file`);
    context.onLine(`${pinned} -> ${entry.into}`);
    await unpack(context, entry, path.join(into, tarball));
  }
  await rm(downloads, { recursive: true, force: true });
}

/** An npm tarball keeps everything below one folder, `package`. */
async function unpack(context: BuildContext, entry: NpmPackage, tarball: string): Promise<void> {
  const root = rootOf(context);
  const into = path.join(root, entry.into);
  await placeFolder(root, entry.into);
  const members = entry.keep === undefined ? [] : entry.keep.map((name) => `package/${name}`);
  await runChecked(
    context.runner,
    'tar',
    ['-xzf', tarball, '-C', into, '--strip-components=1', '--no-same-owner', ...members],
    { timeoutMs: stepTimeoutMs },
  );
  const commands = path.join(root, 'usr/local/bin');
  await placeFolder(root, 'usr/local/bin');
  for (const [command, file] of Object.entries(entry.commands ?? {})) {
    const link = path.join(commands, command);
    await rm(link, { force: true });
    await symlink(path.relative('/usr/local/bin', path.join(entry.into, file)), link);
  }
}
