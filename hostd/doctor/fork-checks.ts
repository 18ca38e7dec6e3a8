import type { DoctorCheck } from '../contract/doctor.ts';
import type { HostdConfig } from '../daemon/config.ts';
import type { Vmm } from '../vmm/vmm.ts';
import type { DoctorHost } from './doctor-host.ts';
import { nearest } from './nearest.ts';

type FreezeMethod = Awaited<ReturnType<Vmm['freezeMethod']>>;

/** An image of a fork takes what its source has touched: some 120 MiB of a sandbox that has just started. */
const comfortableImagesMiB = 1_024;

/** How a fork duplicates memory here. */
export async function checkFreezing(host: DoctorHost, freezeMethod: () => Promise<FreezeMethod>): Promise<DoctorCheck> {
  const name = 'memory duplication';
  if (host.uid !== 0) return { name, result: 'warn', found: 'not checked without root', mend: 'sudo offshoot doctor' };
  try {
    const { method, reason } = await freezeMethod();
    if (method === 'clone')
      return { name, result: 'ok', found: `clone: a fork's pause does not grow with memory (${reason})` };
    return {
      name,
      result: 'warn',
      found: `copy: a sandbox that is forked stands still while its memory is copied, the longer the more it has (${reason})`,
      mend: await allowPtrace(host),
    };
  } catch (error) {
    return {
      name,
      result: 'warn',
      found: `not known: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`,
    };
  }
}

/** Yama's scope 3 forbids ptrace to everybody until a reboot; 0 to 2 leave it to root. */
async function allowPtrace(host: DoctorHost): Promise<string> {
  const scope = (await host.readText('/proc/sys/kernel/yama/ptrace_scope'))?.trim();
  if (scope === '3')
    return 'Set kernel.yama.ptrace_scope to 1 in /etc/sysctl.conf and /etc/sysctl.d, and reboot: 3 can not be undone before.';
  return 'Let hostd use ptrace: in a container, add the capability SYS_PTRACE and let the seccomp profile allow ptrace (docker run --cap-add SYS_PTRACE).';
}

/** Where memory images of forks are kept; never a failure, as they go to the state directory when they do not fit. */
export async function checkForkImages(host: DoctorHost, config: HostdConfig): Promise<DoctorCheck> {
  const name = 'fork images';
  const { forkImageDirectory, forkImageMiB } = config.sandboxes;
  const folder = await nearest(host, forkImageDirectory);
  const { sizeMiB, freeMiB, isInMemory } = await host.fileSystem(folder);
  const cap = forkImageMiB === undefined ? 'a quarter of the memory' : `${String(forkImageMiB)} MiB`;
  if (forkImageMiB === 0) return { name, result: 'ok', found: 'in the state directory (sandboxes.forkImageMiB is 0)' };
  if (!isInMemory)
    return {
      name,
      result: 'warn',
      found: `${forkImageDirectory} lies on a disk: forks wait for it`,
      mend: 'Set sandboxes.forkImageDirectory to a tmpfs, for example /dev/shm.',
    };
  const found = `in ${forkImageDirectory}, a tmpfs of ${String(sizeMiB)} MiB with ${String(freeMiB)} MiB free; at most ${cap}`;
  if (freeMiB >= comfortableImagesMiB) return { name, result: 'ok', found };
  return {
    name,
    result: 'warn',
    found: `${found}; what does not fit goes to the state directory`,
    mend: `sudo mount -o remount,size=50% ${folder} (in a container: docker run --shm-size 4g)`,
  };
}

/** For information: forks and snapshots work without, and write more. */
export async function checkReflink(host: DoctorHost, config: HostdConfig): Promise<DoctorCheck> {
  const name = 'reflinks';
  const { stateDirectory } = config;
  const folder = await nearest(host, stateDirectory);
  const works = await host.reflinks(folder);
  if (works === undefined) return { name, result: 'ok', found: `not checked: ${folder} can not be written to` };
  if (works) return { name, result: 'ok', found: 'the state directory has them: images share what did not change' };
  return {
    name,
    result: 'ok',
    found: 'the state directory has none: images of memory that go there are copied, not shared; nothing depends on it',
    mend: reflinkSteps(stateDirectory),
  };
}

/** Before the first start, or with hostd stopped and the directory moved away. */
function reflinkSteps(stateDirectory: string): string {
  const file = `${stateDirectory}.xfs`;
  return [
    'for less writing, put the state directory on xfs or btrfs (package xfsprogs), before it is filled. A volume of its own:',
    `  sudo mkfs.xfs -m reflink=1 /dev/VOLUME && sudo mkdir -p ${stateDirectory} && sudo mount /dev/VOLUME ${stateDirectory}`,
    'or a file:',
    `  sudo truncate -s 100G ${file} && sudo mkfs.xfs -m reflink=1 ${file} && sudo mkdir -p ${stateDirectory} && sudo mount -o loop ${file} ${stateDirectory}`,
  ].join('\n');
}
