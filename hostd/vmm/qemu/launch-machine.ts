import type { VmLaunch } from '../vmm.ts';
import { qemuCommandLine, type MachinePlan, type QemuProfile } from './command-line.ts';
import type { LaunchSpec } from './launch-spec.ts';

/** Room in the largest file a VMM may write, beyond the disk's or memory's own size, for qcow2's tables. */
const fileSlackMiB = 1024;

/** What the launcher is told to start a planned machine. */
export function launchSpec(
  host: { profile: QemuProfile; kvmGid?: number },
  launch: VmLaunch,
  plan: MachinePlan,
): LaunchSpec {
  const largestMiB = Math.max(launch.shape.diskMiB, launch.shape.memoryMiB) + fileSlackMiB;
  const netnsPath = launch.network?.netnsPath;
  return {
    uid: launch.uid,
    gid: launch.gid,
    groups: host.kvmGid === undefined ? [] : [host.kvmGid],
    ...(netnsPath === undefined ? {} : { netnsPath }),
    limits: { core: 0, nofile: 1024, fsize: largestMiB * 2 ** 20, memlock: 0 },
    program: host.profile.program,
    // One malloc arena instead of one per thread: some MiB less for each machine.
    env: { PATH: '/usr/bin:/bin', MALLOC_ARENA_MAX: '1' },
    ...qemuCommandLine(host.profile, plan),
  };
}
