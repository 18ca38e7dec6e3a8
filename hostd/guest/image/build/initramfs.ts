import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runChecked, type Runner } from '../../../platform/run.ts';
import { placeFile } from './place.ts';

/** Packs files below a folder, in the order given, as a newc archive owned by root. */
export async function packArchive(runner: Runner, directory: string, names: readonly string[], archive: string): Promise<void> {
  await runChecked(
    runner,
    'cpio',
    ['--create', '--format=newc', '--quiet', '--owner=+0:+0', '--reproducible', `--file=${archive}`],
    { cwd: directory, input: names.map((name) => `${name}\n`).join('') },
  );
}

/**
 * An initramfs of the agent as /init and an archive of modules. The kernel takes archives one after the other
 * (Documentation/driver-api/early-userspace/buffer-format.rst of Linux), so another agent needs no new modules archive.
 * Uncompressed: unpacking is emulated, and copying a megabyte is not felt.
 */
export async function makeInitramfs(
  runner: Runner,
  parts: { agent: Buffer; modulesArchive: string; workDirectory: string },
  file: string,
): Promise<void> {
  const staging = path.join(parts.workDirectory, 'init-staging');
  await mkdir(staging, { recursive: true });
  await placeFile(staging, 'init', parts.agent, 0o755);
  const agentArchive = path.join(parts.workDirectory, 'agent.cpio');
  await packArchive(runner, staging, ['init'], agentArchive);
  await writeFile(file, Buffer.concat([await readFile(agentArchive), await readFile(parts.modulesArchive)]));
  await rm(staging, { recursive: true, force: true });
  await rm(agentArchive);
}
