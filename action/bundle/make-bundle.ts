import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { z } from 'zod';
import { bundleCode } from './bundle-code.ts';
import { binaries, copiedFiles, licencesFile, toolchainFile } from './layout.ts';
import { bundledPackages, renderLicences } from './licences.ts';
import { writeSums } from './sums.ts';
import { describeToolchain } from './toolchain.ts';

const run = promisify(execFile);

/** Makes the folder `into` anew from the checkout `root`. Throws what esbuild, make or the file system say. */
export async function makeBundle(root: string, into: string): Promise<Metafile> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  const metafile = await bundleCode(root, into, version);
  for (const folder of ['hostd/guest/agent', 'hostd/vmm/native'])
    await run('make', ['-s', '-C', path.join(root, folder)]);
  for (const [to, from] of Object.entries({ ...copiedFiles, ...binaries })) {
    await copy(path.join(root, from), path.join(into, to));
  }
  await writeFile(path.join(into, toolchainFile), await describeToolchain());
  const licences = await renderLicences(root, bundledPackages(metafile));
  await writeFile(path.join(into, licencesFile), licences);
  await writeSums(into);
  return metafile;
}

/** With a mode that git keeps: what may be executed stays so, nothing depends on the umask. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(from, to);
  const { mode } = await stat(from);
  await chmod(to, (mode & 0o100) === 0 ? 0o644 : 0o755);
}
