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
  maxCpus: number;
  /** Everything of the host and VMM that can make a restore wrong, as one stable text: part of every template's key. */
  restoreKey: string;
}

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
  /** RAM is written through to this file, which must not exist: a template in the making. Absent: RAM is private and anonymous. */
  memoryFile?: string;
}

export interface RestoreStart {
  kind: 'restore';
  snapshot: VmSnapshotFiles;
}

/** The files that make a stopped machine: immutable, shared by all that restore from them. */
export interface VmSnapshotFiles {
  directory: string;
  memory: string;
  devices: string;
  /** Frozen qcow2 layer. */
  disk: string;
  /** An empty qcow2 overlay over `disk`, copied for each restore. */
  overlaySeed: string;
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
  consoleTail(): Promise<string>;
  /** Stops the vCPUs, saves device state, ends the process; memory must be a ColdStart.memoryFile. Used to make templates. Fills and syncs all files of `into`. */
  freezeInto(into: VmSnapshotFiles): Promise<void>;
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
  /** Kills whatever still runs of a record or a launch in this directory, without waiting for its cooperation. Idempotent. */
  destroy(directory: string, record: VmRecord | undefined): Promise<void>;
}
