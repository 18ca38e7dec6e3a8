import { readdir, readFile, readlink } from 'node:fs/promises';

/** Proportional set size of each VMM process on this machine, by pid. */
export async function vmmMemoryMiB(): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
    if (!program.includes('qemu-system')) continue;
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    sizes.set(Number(pid), Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1024);
  }
  return sizes;
}
