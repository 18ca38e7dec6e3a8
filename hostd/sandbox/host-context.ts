import type { Vmm } from '../vmm/vmm.ts';
import type { Admission } from './admission.ts';
import type { Checkpoints } from './checkpoint/checkpoints.ts';
import type { StoredEvents } from './event-service.ts';
import type { HostParts } from './host-parts.ts';
import type { Registry } from './registry.ts';
import type { StatePaths } from './sandbox-paths.ts';
import type { Slots } from './slots.ts';

/** What the services of one host share. */
export interface HostContext extends HostParts {
  readonly paths: StatePaths;
  readonly registry: Registry;
  readonly events: StoredEvents;
  readonly admission: Admission;
  readonly slots: Slots;
  readonly checkpoints: Checkpoints;
  /** Replaced by its emulated fallback when KVM passed the probe and yet boots nothing. */
  vmm: Vmm;
  /** Aborted when hostd goes and waits no longer for what is under way. */
  readonly closing: AbortController;
  /** True from the moment stop() was called. */
  stopping: boolean;
}
