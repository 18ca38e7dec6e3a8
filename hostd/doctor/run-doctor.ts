import type { DoctorCheck, DoctorReport } from '../contract/doctor.ts';
import type { HostdConfig } from '../daemon/config.ts';
import { qemuOptions } from '../daemon/system-parts.ts';
import { installation } from '../platform/installation.ts';
import { version } from '../version.ts';
import { openQemuVmm } from '../vmm/qemu/open-qemu-vmm.ts';
import { thisHost, type DoctorHost } from './doctor-host.ts';
import { checkForkImages, checkFreezing, checkReflink } from './fork-checks.ts';
import {
  checkFirewalls,
  checkForwarding,
  checkKernelNetworking,
  checkResolvers,
  checkSubnet,
} from './network-checks.ts';
import { checkDisk, checkRunning } from './state-checks.ts';
import {
  checkArchitecture,
  checkCgroups,
  checkImages,
  checkMemory,
  checkNative,
  checkPackages,
  checkRoot,
  checkTools,
} from './system-checks.ts';
import { checkVmm } from './vmm-checks.ts';

/** What this machine can do and what is missing, with the commands that mend it. Needs no running hostd, changes nothing, and without root says what it left out. */
export async function runDoctor(config: HostdConfig, host: DoctorHost = thisHost()): Promise<DoctorReport> {
  const { network, stateDirectory, requireKvm } = config;
  const options = { ...qemuOptions(config), runner: host.runner };
  const vmm = await checkVmm(options, { requireKvm, isRoot: host.uid === 0 });
  const checks: DoctorCheck[] = [
    checkArchitecture(host),
    checkRoot(host),
    await checkTools(host),
    await checkPackages(host, stateDirectory),
    await checkNative(host, installation),
    ...vmm.checks,
    // whether KVM works was found above, and does not matter for this
    await checkFreezing(host, async () => (await openQemuVmm({ ...options, kvm: 'off' })).freezeMethod()),
    await checkForkImages(host, config),
    ...(await checkKernelNetworking(host, network)),
    await checkForwarding(host),
    await checkFirewalls(host, network),
    checkSubnet(host, network),
    await checkResolvers(host, network),
    await checkDisk(host, config),
    await checkReflink(host, config),
    await checkMemory(host),
    await checkCgroups(host),
    await checkImages(host, stateDirectory),
    await checkRunning(host, config),
  ];
  return { ok: checks.every(({ result }) => result !== 'fail'), version, isolation: vmm.isolation, checks };
}
