import type { CaptureResult, VmCapture, VmSnapshotFiles } from '../vmm.ts';
import type { SnapshotRecord } from './snapshot-record.ts';

/** What the pause of a machine went into. */
export interface PauseParts {
  /** Until the vCPUs stood still. */
  stopMs: number;
  /** Device state. */
  saveMs: number;
  /** Memory: the duplicate made, or copied. */
  freezeMs: number;
  /** The disk's next overlay, and the vCPUs on their way again. */
  switchMs: number;
}

export interface QemuCaptureFacts {
  files: VmSnapshotFiles;
  pausedMs: number;
  method: 'clone' | 'copy';
  complete: Promise<CaptureResult>;
  saved: Pick<SnapshotRecord, 'hardware' | 'layers' | 'foundation'>;
  pauseParts: PauseParts;
}

/** A capture of this driver: children can be planned by it before its record is written. */
export class QemuCapture implements VmCapture {
  readonly files: VmSnapshotFiles;
  readonly pausedMs: number;
  readonly method: 'clone' | 'copy';
  readonly complete: Promise<CaptureResult>;
  readonly saved: Pick<SnapshotRecord, 'hardware' | 'layers' | 'foundation'>;
  readonly pauseParts: PauseParts;

  constructor(facts: QemuCaptureFacts) {
    this.files = facts.files;
    this.pausedMs = facts.pausedMs;
    this.method = facts.method;
    this.complete = facts.complete;
    this.saved = facts.saved;
    this.pauseParts = facts.pauseParts;
    this.complete.catch(() => undefined);
  }
}
