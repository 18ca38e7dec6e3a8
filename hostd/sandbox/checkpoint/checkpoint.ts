import { join } from 'node:path';
import type { VmSnapshotFiles } from '../../vmm/vmm.ts';

/** Why a machine was saved: for copies of it, for a name, or because it is paused. */
export type CheckpointKind = 'fork' | 'snapshot' | 'hibernation';

/** A machine at one moment, in files; sandboxes stand on it, copies as well as the one it was taken of. */
export interface Checkpoint {
  readonly id: string;
  readonly kind: CheckpointKind;
  readonly files: VmSnapshotFiles;
  /** The memory image takes memory of the host, not disk. */
  readonly inMemory: boolean;
  /** What the memory image takes; what it is expected to take while it is being written. */
  imageMiB: number;
  /** Work under way that needs it, besides the sandboxes that stand on it. */
  pins: number;
}

/** The files of a checkpoint; its memory image may lie apart. */
export function checkpointFiles(directory: string, memory = join(directory, 'memory')): VmSnapshotFiles {
  return {
    directory,
    memory,
    devices: join(directory, 'devices'),
    disk: join(directory, 'disk.qcow2'),
    overlaySeed: join(directory, 'overlay-seed.qcow2'),
  };
}
