import { OffshootError } from '../errors/offshoot-error.ts';
import { ChannelConnector } from '../guest/channel/connector.ts';
import { createImageStore } from '../guest/image/image-store.ts';
import { installedGate } from '../net/egress/installed-gate.ts';
import { openLinuxNetwork } from '../net/linux-network.ts';
import { installation } from '../platform/installation.ts';
import { systemRunner } from '../platform/run.ts';
import { linuxResources } from '../sandbox/host-resources.ts';
import { openQemuVmm, type OpenQemuOptions } from '../vmm/qemu/open-qemu-vmm.ts';
import type { HostdConfig } from './config.ts';
import { requireTools, systemSearchPath } from './host-tools.ts';
import type { DaemonParts } from './parts.ts';

/** How QEMU is probed and driven under this configuration. */
export function qemuOptions(config: HostdConfig): OpenQemuOptions {
  const { nativeDirectory } = installation;
  return { runner: systemRunner, nativeDirectory, kvm: config.kvm, kvmDeadlineMs: config.kvmProbeDeadlineMs };
}

/** The real parts. Widens PATH to the folders of system programs for everything hostd starts. */
export const systemParts: DaemonParts = {
  checkHost: async () => {
    if (process.getuid?.() !== 0)
      throw new OffshootError('not-root', { hint: 'Start it with sudo: sudo offshoot hostd' });
    process.env.PATH = systemSearchPath(process.env.PATH);
    await requireTools(process.env.PATH);
  },
  openVmm: (config) => openQemuVmm(qemuOptions(config)),
  openNetwork: (config) => openLinuxNetwork(config.network, systemRunner, installedGate(config.stateDirectory)),
  openImages: (config) => createImageStore({ stateDirectory: config.stateDirectory }),
  guests: new ChannelConnector(),
  resources: (config) => linuxResources(config.stateDirectory),
};
