import { readdir, readFile, readlink } from 'node:fs/promises';

/** Pids of the QEMU processes that serve a sandbox of this state directory, found by what their command lines name. */
export async function vmmPidsOf(stateDirectory: string, sandboxId: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  for (const pid of pids) {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
    if (!program.includes('qemu-system')) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const names = `${commandLine}\0${folder}`;
    if (names.includes(sandboxId) && names.includes(stateDirectory)) found.push(Number(pid));
  }
  return found;
}

/** CPU time a process has used, in clock ticks of 10 ms. */
export async function cpuTicks(pid: number): Promise<number> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
