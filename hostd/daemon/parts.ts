import type { GuestConnector } from '../guest/guest.ts';
import type { ImageStore } from '../guest/image/image.ts';
import type { Network } from '../net/network.ts';
import type { HostResources } from '../sandbox/host-resources.ts';
import type { Vmm } from '../vmm/vmm.ts';
import type { HostdConfig } from './config.ts';

/** The outside systems hostd is put together of. `system-parts.ts` opens the real ones; tests give fakes. */
export interface DaemonParts {
  /** Throws `not-root` or `tool-missing`. */
  checkHost(): Promise<void>;
  /** Finds out what this host's VMM can do, KVM first. Throws `tool-missing`. */
  openVmm(config: HostdConfig): Promise<Vmm>;
  openNetwork(config: HostdConfig): Promise<Network>;
  openImages(config: HostdConfig): ImageStore;
  guests: GuestConnector;
  resources(config: HostdConfig): HostResources;
}
