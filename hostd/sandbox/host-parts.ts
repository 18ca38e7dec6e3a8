import type { GuestConnector } from '../guest/guest.ts';
import type { ImageStore } from '../guest/image/image.ts';
import type { Network } from '../net/network.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import type { Vmm } from '../vmm/vmm.ts';
import type { HostConfig } from './host-config.ts';
import type { HostResources } from './host-resources.ts';

/** What a pino logger offers of itself; messages are static, facts go into the object, never env values. */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Everything LocalHost stands on; each is an interface with a real part and a fake. */
export interface HostParts {
  version: string;
  stateDirectory: string;
  config: HostConfig;
  store: Store;
  vmm: Vmm;
  guests: GuestConnector;
  network: Network;
  images: ImageStore;
  resources: HostResources;
  clock: Clock;
  /** Of the host: /proc/sys/kernel/random/boot_id. */
  bootId: string;
  log: Logger;
  /** Subnet of the sandboxes, for people. */
  subnet: string;
}
