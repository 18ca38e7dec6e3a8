import type { VmShape } from '../vmm/vmm.ts';
import type { HostConfig } from './host-config.ts';
import type { ResourceReading } from './host-resources.ts';
import type { ShapeLimits } from './shape.ts';

/** What admission knows of a sandbox that was let in. */
export interface Occupant {
  shape: VmShape;
  /** Memory it was last seen to take; 0 before its first reading. */
  residentMiB: number;
  /** True until it has taken its first memory: the host's own figures do not show it yet. */
  starting: boolean;
}

/** What a sandbox touches in its first seconds. */
const firstTouchMiB = 96;

type Limits = Pick<
  HostConfig,
  | 'hostReserveMiB'
  | 'vmmOverheadMiB'
  | 'overcommitRatio'
  | 'minAvailableMiB'
  | 'maxMemoryPressurePercent'
  | 'minDiskFreeMiB'
  | 'diskReserveMiB'
  | 'maxSandboxes'
  | 'maxCpusPerSandbox'
>;

/** Memory that sandboxes may take together. */
export function memoryCapacityMiB(config: Limits, memoryTotalMiB: number): number {
  const reserve = config.hostReserveMiB ?? Math.max(256, Math.ceil(memoryTotalMiB / 10));
  return Math.max(0, memoryTotalMiB - reserve);
}

/** The largest sandbox an otherwise empty host could ever hold. */
export function shapeLimits(config: Limits, reading: ResourceReading, cpus: number): ShapeLimits {
  return {
    cpus: config.maxCpusPerSandbox ?? cpus,
    memoryMiB: Math.max(0, memoryCapacityMiB(config, reading.memoryTotalMiB) - config.vmmOverheadMiB),
    diskMiB: Math.max(0, reading.diskTotalMiB - config.minDiskFreeMiB),
  };
}

/** What a sandbox takes now, and the part of what it could still grow by that is held back for it. */
export function committedMiB(config: Limits, occupant: Occupant): number {
  const ceiling = occupant.shape.memoryMiB + config.vmmOverheadMiB;
  return occupant.residentMiB + Math.max(0, ceiling - occupant.residentMiB) / config.overcommitRatio;
}

export type Shortage = { of: 'sandboxes' | 'memory' | 'disk'; message: string };

/** Why a sandbox of this shape can't start now; undefined when it can. `imagesMiB`: memory images of forks. */
export function shortage(
  config: Limits,
  shape: VmShape,
  occupants: readonly Occupant[],
  reading: ResourceReading,
  imagesMiB = 0,
): Shortage | undefined {
  if (occupants.length >= config.maxSandboxes) {
    return { of: 'sandboxes', message: `The host runs ${String(occupants.length)} sandboxes, its most.` };
  }
  const starting = occupants.filter((occupant) => occupant.starting).length;
  return (
    memoryShortage(config, shape, occupants, reading, starting, imagesMiB) ?? diskShortage(config, reading, starting)
  );
}

function memoryShortage(
  config: Limits,
  shape: VmShape,
  occupants: readonly Occupant[],
  reading: ResourceReading,
  starting: number,
  imagesMiB: number,
): Shortage | undefined {
  const capacity = memoryCapacityMiB(config, reading.memoryTotalMiB);
  const committed = occupants.reduce((sum, occupant) => sum + committedMiB(config, occupant), imagesMiB);
  const needed = committedMiB(config, { shape, residentMiB: 0, starting: true });
  if (committed + needed > capacity) {
    const figures = `${needed.toFixed(0)} MiB on top of ${committed.toFixed(0)} of ${capacity.toFixed(0)}`;
    return { of: 'memory', message: `Memory is committed: the sandbox would take ${figures} MiB.` };
  }
  const available = reading.memoryAvailableMiB - starting * firstTouchMiB;
  if (available < config.minAvailableMiB + firstTouchMiB) {
    return { of: 'memory', message: `Only ${available.toFixed(0)} MiB of the host's memory are free.` };
  }
  if (reading.memoryPressurePercent > config.maxMemoryPressurePercent) {
    const stalled = reading.memoryPressurePercent.toFixed(0);
    return { of: 'memory', message: `The host is short of memory: tasks waited for it ${stalled} % of the time.` };
  }
  return undefined;
}

function diskShortage(config: Limits, reading: ResourceReading, starting: number): Shortage | undefined {
  const free = reading.diskFreeMiB - starting * config.diskReserveMiB;
  if (free >= config.minDiskFreeMiB + config.diskReserveMiB) return undefined;
  return {
    of: 'disk',
    message: `The state directory's file system has ${String(reading.diskFreeMiB)} MiB free; ${String(config.minDiskFreeMiB)} are kept free.`,
  };
}
