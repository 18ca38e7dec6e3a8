import { chmod, link, mkdir, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';
import { downloadTrixiePackages } from '../tiers/trixie-packages.ts';

/** Debian 13's QEMU with all it needs, in a folder. */
export interface Qemu10Root {
  /** First in the PATH it gives qemu-system-x86_64 and qemu-img of Debian 13. */
  programs: string;
  /** Pids and names of what still runs from it. */
  processes(): Promise<string[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Not below the checkout: the VMM's user has to reach it, and a checkout may lie in somebody's home. */
export async function makeQemu10Root(): Promise<Qemu10Root> {
  const packages = await downloadTrixiePackages(['qemu-system-x86', 'qemu-utils']);
  const root = await mkdtemp(path.join(tmpdir(), 'offshoot-qemu10-'));
  await chmod(root, 0o755);
  for (const file of packages) await runChecked(systemRunner, 'dpkg-deb', ['-x', file, root]);
  const programs = path.join(root, 'run');
  await mkdir(programs);
  const runner = path.join(programs, 'qemu-system-x86_64');
  const source = path.join(import.meta.dirname, 'run-in-root.c');
  await runChecked(systemRunner, 'musl-gcc', ['-static', '-O2', '-Wall', '-Wextra', '-Werror', '-o', runner, source]);
  await link(runner, path.join(programs, 'qemu-img'));
  return {
    programs,
    processes: () => processesOf(root),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function processesOf(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
    if (program.startsWith(`${root}/`)) found.push(`${pid} ${path.basename(program)}`);
  }
  return found;
}
