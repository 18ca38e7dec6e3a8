import type { EndReason } from '../contract/sandbox.ts';
import type { Guest } from '../guest/guest.ts';
import type { SandboxRow } from '../store/rows.ts';
import type { Vm, VmUsage } from '../vmm/vmm.ts';
import type { Place } from './admission.ts';
import type { LiveExec } from './exec/live-exec.ts';
import { Waiters } from '../platform/waiters.ts';
import type { SandboxPaths } from './sandbox-paths.ts';
import { Semaphore } from './semaphore.ts';

export interface Ending {
  reason: EndReason;
  message: string;
}

/** What hostd holds in memory of one sandbox that is not gone; the row is the copy of what the store has. */
export interface LiveSandbox {
  row: SandboxRow;
  paths: SandboxPaths;
  readonly execs: Map<string, LiveExec>;
  /** Highest stream id of execs of an earlier hostd: never given out again. */
  streamFloor: number;
  /** Aborted when the sandbox is to end: whatever waits on its behalf gives up. */
  readonly ending: AbortController;
  /** Pause, resume, fork and snapshot come one after the other. */
  readonly turn: Semaphore;
  /** Changes of its egress policy come one after the other. */
  readonly egressTurn: Semaphore;
  /** Woken when it runs again. */
  readonly resumed: Waiters;
  env: Readonly<Record<string, string>>;
  place: Place | undefined;
  vm: Vm | undefined;
  guest: Guest | undefined;
  usage: VmUsage;
  /** Settles when the create has run its course. */
  creation: Promise<unknown> | undefined;
  /** The one teardown that every stop, expiry and crash shares. */
  teardown: Promise<void> | undefined;
  /** Its slot after the row has let go of it. */
  freedSlot: number | null;
  followers: number;
  transfers: number;
}

export function liveSandbox(row: SandboxRow, paths: SandboxPaths): LiveSandbox {
  return {
    row,
    paths,
    execs: new Map(),
    streamFloor: 0,
    ending: new AbortController(),
    turn: new Semaphore(1),
    egressTurn: new Semaphore(1),
    resumed: new Waiters(),
    env: {},
    place: undefined,
    vm: undefined,
    guest: undefined,
    usage: { cpuSeconds: row.cpuSeconds, peakMemoryMiB: row.peakMemoryMiB, residentMiB: 0 },
    creation: undefined,
    teardown: undefined,
    freedSlot: null,
    followers: 0,
    transfers: 0,
  };
}
