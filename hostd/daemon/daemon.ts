import { formatAddress, type ListenAddress } from '../api/address.ts';
import type { ApiLimits } from '../api/limits.ts';
import { requireFreeAddress } from '../api/listen.ts';
import { startApi } from '../api/server.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { formatIpv4Network } from '../net/ipv4.ts';
import { systemClock } from '../platform/clock.ts';
import { hostBootId } from '../platform/process-identity.ts';
import { LocalHost } from '../sandbox/local-host.ts';
import { version } from '../version.ts';
import type { Vmm } from '../vmm/vmm.ts';
import type { HostdConfig } from './config.ts';
import { groupId } from './group-id.ts';
import type { DaemonLogger } from './logger.ts';
import { openState, toStateError } from './open-state.ts';
import type { DaemonParts } from './parts.ts';

export interface DaemonOptions {
  log: DaemonLogger;
  parts: DaemonParts;
}

export interface Daemon {
  readonly address: ListenAddress;
  readonly vmm: Vmm;
  /** Accepts nothing more, lets short requests end within a bound and leaves sandboxes running. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Puts hostd together: checks the host, takes the state directory, finds the VMM, takes up or removes what an earlier hostd left, and only
 * then listens. Throws what a newcomer meets with the mending command: `not-root`, `tool-missing`, `state-locked`, `state-newer`,
 * `host-disk-full`, `socket-taken`, `kvm-required`, `config-invalid`, `network-setup-failed`. A failed start leaves nothing behind.
 */
export async function startDaemon(config: HostdConfig, options: DaemonOptions): Promise<Daemon> {
  const { log, parts } = options;
  await using unwind = new AsyncDisposableStack();
  await parts.checkHost();
  const socketGid = config.socketGroup === undefined ? undefined : await groupId(config.socketGroup);
  const state = openState(config.stateDirectory);
  unwind.defer(() => {
    state.close();
  });
  await requireFreeAddress(config.listen);
  const vmm = await parts.openVmm(config);
  requireIsolation(config, vmm);
  const network = await parts.openNetwork(config);
  const host = new LocalHost({
    version,
    stateDirectory: config.stateDirectory,
    config: config.sandboxes,
    store: state.store,
    vmm,
    guests: parts.guests,
    network,
    images: parts.openImages(config),
    resources: parts.resources(config),
    clock: systemClock,
    bootId: await hostBootId(),
    log,
    subnet: formatIpv4Network(config.network.subnet),
  });
  unwind.defer(() => host.stop());
  await host.start().catch((error: unknown) => {
    throw toStateError(error, config.stateDirectory);
  });
  for (const finding of network.findings) log.warn({ finding }, 'network');
  const api = await startApi({
    host,
    log,
    version,
    listen: config.listen,
    limits: definedOnly(config.api),
    ...(socketGid === undefined ? {} : { socketGid }),
  });
  unwind.defer(() => api.stop());
  log.info(
    { address: formatAddress(api.address), isolation: vmm.features.isolation, vmm: vmm.features.version },
    'ready',
  );
  const running = unwind.move();
  let stopping: Promise<void> | undefined;
  return {
    address: api.address,
    vmm,
    stop: () => {
      stopping ??= running.disposeAsync();
      return stopping;
    },
  };
}

function requireIsolation(config: HostdConfig, vmm: Vmm): void {
  const { tier, reason } = vmm.features.isolation;
  if (!config.requireKvm || tier === 'kvm') return;
  throw new OffshootError('kvm-required', {
    message: `KVM is required, but it does not work here: ${reason}.`,
    details: { reason },
  });
}

function definedOnly(limits: HostdConfig['api']): Partial<ApiLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
