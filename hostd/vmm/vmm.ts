import type { ProcessIdentity } from '../platform/process-identity.ts';

export interface Isolation {
  tier: 'kvm' | 'emulated';
  /** Why it is this one, for people. */
  reason: string;
}

/** What this host's VMM is; found once at start. */
export interface VmmFeatures {
  name: 'qemu';
  /** Full build version, for example `7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)`. */
  version: string;
  machine: string;
  cpuModel: string;
  isolation: Isolation;
  /** What the VMM could give, whatever the host has. */
  maxCpus: number;
  /** Everything of the host and VMM that can make a restore wrong, as one stable text: part of every template's key. */
  restoreKey: string;
}

/** The features that a snapshot records. */
export type VmSnapshotOrigin = Pick<VmmFeatures, 'name' | 'version' | 'machine' | 'cpuModel' | 'restoreKey'> & {
  tier: Isolation['tier'];
};

/** What a microVM's hardware is; a template belongs to one shape. */
export interface VmShape {
  cpus: number;
  memoryMiB: number;
  diskMiB: number;
}

/** The launch of one microVM: nothing in it names hostd, so both outlive it. */
export interface VmLaunch {
  /** A folder of its own, made by the caller, for sockets, console log, exit record and the overlay. */
  directory: string;
  shape: VmShape;
  /** The unprivileged user the VMM process runs as. */
  uid: number;
  gid: number;
  /**
   * The network card; a snapshot's must be the same as at its cold start, absence included. Without `netnsPath` and `tapName` (both or
   * neither) it hangs in an empty network namespace of the machine's own: for templates.
   */
  network?: { guestMac: string; mtu: number; netnsPath?: string; tapName?: string };
  start: ColdStart | RestoreStart;
}

export interface ColdStart {
  kind: 'cold';
  /** vmlinux or bzImage; like the initramfs it must be readable for the VMM's user or group. */
  kernel: string;
  initramfs: string;
  /** The caller's; the driver adds console, panic and clock arguments. */
  kernelArguments: readonly string[];
  /** Read-only base of the new overlay. */
  baseDisk: { path: string; format: 'raw' | 'qcow2' };
  /** A kept disk to boot from instead: the frozen layer of this snapshot, over its layers; `baseDisk` is then not used. */
  disk?: VmSnapshotFiles;
  /** RAM is written through to this file, which must not exist: a template in the making. Absent: RAM is private. */
  memoryFile?: string;
}

export interface RestoreStart {
  kind: 'restore';
  snapshot: VmSnapshotFiles;
  /** `continue` takes up the overlay that `hibernateInto` left in the machine's folder; absent or `fresh`: an empty one. */
  overlay?: 'fresh' | 'continue';
  /** The capture the snapshot is of, while its image is being written: the VMM starts meanwhile and is fed when it is whole. */
  capture?: VmCapture;
}

/**
 * The files that make a stopped machine: immutable, shared by all that restore from them. The disk layers under `disk` are the driver's
 * business: it keeps them (links or copies) inside `directory`, so that the folder stands alone but for a template's base disk.
 */
export interface VmSnapshotFiles {
  directory: string;
  memory: string;
  devices: string;
  /** Frozen qcow2 layer. */
  disk: string;
  /** An empty qcow2 overlay over `disk`, copied for each restore. */
  overlaySeed: string;
}

export interface CaptureOptions {
  /** Let the machine run as soon as it is duplicated; false leaves it paused. A machine that was paused stays so either way. */
  wake: boolean;
  /**
   * The files are to be kept: all are written to disk, and none is one that a running VMM could still change. Otherwise they may be links
   * to what the source made, which is enough for copies of it.
   */
  durable: boolean;
  /** The duplicate is given up when less of the host's memory is free (it grows while the source rewrites its memory). */
  minAvailableMiB: number;
  /** Called when all is ready, right before the vCPUs are stopped: what else is to stand still is stopped here. */
  beforeStop?: () => Promise<void>;
  /** Called as soon as the vCPUs run again, or when the capture fails after `beforeStop`; the capture resolves after it. */
  afterWake?: () => Promise<void>;
  /** Gives the capture up; the source goes on. */
  signal?: AbortSignal;
}

/** A machine duplicated at one moment: memory, devices and disk. */
export interface VmCapture {
  readonly files: VmSnapshotFiles;
  /** How long the vCPUs stood still; 0 for a machine that was paused. */
  readonly pausedMs: number;
  /** `clone`: the pause does not grow with memory; `copy`: the memory was copied inside it, because ptrace is not allowed. */
  readonly method: 'clone' | 'copy';
  /** Settles when the image is written; a rejection (`capacity-exhausted`, `host-disk-full`, `freeze-failed`, `aborted`) leaves the source running and no files. */
  readonly complete: Promise<CaptureResult>;
}

export interface CaptureResult {
  /** Memory that is data in the image; the rest are holes. */
  imageMiB: number;
  /** Of it, what the source had touched itself. */
  touchedMiB: number;
}

/** Recorded in the journal so that a later hostd can adopt or kill. */
export interface VmRecord {
  launcher: ProcessIdentity;
  bootId: string;
  directory: string;
}

export interface VmExit {
  /** null when a signal ended the VMM. */
  exitCode: number | null;
  signal: string | null;
  cpuSeconds: number;
  peakMemoryMiB: number;
  /** How the guest ended, as far as it shows. */
  cause: 'killed-by-us' | 'guest-panic' | 'guest-shutdown' | 'vmm-crashed' | 'vmm-killed' | 'unknown';
  /** Last console lines, bounded to 4 KiB. */
  consoleTail: string;
}

export interface VmUsage {
  cpuSeconds: number;
  peakMemoryMiB: number;
  /** Memory this machine adds to the host now (private plus its share). */
  residentMiB: number;
}

/** One live microVM. */
export interface Vm {
  readonly record: VmRecord;
  readonly agentSocketPath: string;
  /** Resolves once the process is reaped and its exit record read. Never rejects. */
  readonly exited: Promise<VmExit>;
  usage(): Promise<VmUsage>;
  /** Another one after every packet that came from the machine or for it. undefined when that can't be told. */
  networkMark(): Promise<string | undefined>;
  consoleTail(): Promise<string>;
  /** Stops the vCPUs, saves device state, ends the process; memory must be a ColdStart.memoryFile. Used to make templates. Fills and syncs all files of `into`. */
  freezeInto(into: VmSnapshotFiles): Promise<void>;
  /** Stops the vCPUs at once; idempotent. Throws `sandbox-not-running` when the machine has ended. */
  pause(): Promise<void>;
  /** Lets the vCPUs run; idempotent. */
  resume(): Promise<void>;
  /**
   * Duplicates a machine that was restored, or booted cold without a memoryFile, running or paused. `into.directory` exists and is empty;
   * `into.memory` may lie elsewhere (in memory). Resolves when the source may run on and has been woken as asked: children can then be
   * started with `RestoreStart.capture`, but must not outlive a rejection of `complete`. One at a time: a second call waits. Rejects with
   * `freeze-failed`, `host-disk-full`, `capacity-exhausted` or `aborted`, the source as it was before and no file left.
   */
  capture(into: VmSnapshotFiles, options: CaptureOptions): Promise<VmCapture>;
  /**
   * Writes a paused machine to `into` durably and ends its process. Its overlay and layers stay in its own folder: a start in the same folder
   * with `overlay: 'continue'` goes on where it was. A failure before the process is ended leaves it paused and no files.
   */
  hibernateInto(into: VmSnapshotFiles): Promise<CaptureResult>;
  /** Ends the process at once and resolves when it is reaped. Idempotent. */
  kill(): Promise<VmExit>;
  /** hostd is going: drop connections, leave the machine running. */
  release(): void;
}

export interface Vmm {
  readonly features: VmmFeatures;
  /**
   * The same VMM under software emulation, for a host whose KVM passed the probe and yet does not boot a real kernel: when a template's boot
   * (and its one retry) fails and this is defined, boot it with this one, and from then on use this one. Undefined when already emulated.
   */
  readonly emulatedFallback: Vmm | undefined;
  /** Starts the launcher and VMM. Resolves when the sockets exist and the process runs; whether the guest is up is the agent's to say. Throws `boot-failed`, `tool-missing`, `host-disk-full`. */
  start(launch: VmLaunch, onRecord: (record: VmRecord) => void): Promise<Vm>;
  /** Takes up a machine of an earlier hostd; its exit record when it has ended since; undefined when nothing is known of it any more. */
  adopt(record: VmRecord): Promise<Vm | VmExit | undefined>;
  /**
   * Whether a snapshot taken under `recorded` (the features then) can be restored by this VMM: `yes`, `probe` when it is another build of the
   * same upstream series and one restore has to show it, or why not.
   */
  compatibility(recorded: VmSnapshotOrigin): { restorable: 'yes' | 'probe' | 'no'; reason: string };
  /** Whether the files are all there: what a save that was cut off left is not. */
  isWhole(files: VmSnapshotFiles): Promise<boolean>;
  /** The caller has found the content of the files right; changes of them are noticed from here on. */
  attest(files: VmSnapshotFiles): Promise<void>;
  /** How memory is duplicated on this host: found once, for `doctor`. */
  freezeMethod(): Promise<{ method: 'clone' | 'copy'; reason: string }>;
  /** Kills whatever still runs of a record or a launch in this directory, without waiting for its cooperation. Idempotent. */
  destroy(directory: string, record: VmRecord | undefined): Promise<void>;
}

/** Tells what `adopt` found apart. */
export function isMachine(found: Vm | VmExit): found is Vm {
  return 'kill' in found;
}
