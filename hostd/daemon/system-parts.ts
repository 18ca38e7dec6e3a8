import { OffshootError } from '../errors/offshoot-error.ts';
import { ChannelConnector } from '../guest/channel/connector.ts';
import { createImageStore } from '../guest/image/image-store.ts';
import type { OpenGate } from '../net/egress/egress-side.ts';
import { openGate } from '../net/egress/gate/gate.ts';
import { helperNode } from '../net/egress/gate/helper-flags.ts';
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

function gateIn(stateDirectory: string): OpenGate {
  const { resolverProcess, proxyProcess } = installation;
  return (proxyNetnsPath, options) =>
    openGate({
      ...options,
      stateDirectory,
      proxyNetnsPath,
      commands: {
        resolver: [...helperNode(), resolverProcess],
        proxy: ['nsenter', `--net=${proxyNetnsPath}`, '--', ...helperNode(), proxyProcess],
      },
    });
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
  openNetwork: (config) => openLinuxNetwork(config.network, systemRunner, gateIn(config.stateDirectory)),
  openImages: (config) => createImageStore({ stateDirectory: config.stateDirectory }),
  guests: new ChannelConnector(),
  resources: (config) => linuxResources(config.stateDirectory),
};
