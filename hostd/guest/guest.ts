import type { Readable } from 'node:stream';

/**
 * What a sandbox's agent is told before any workload runs after a restore: PROTOCOL.md `prepare-resume`. A machine that is merely resumed
 * keeps its identity: then only entropy (and the clock, which the channel adds) is given.
 */
export interface ResumeIdentity {
  /** Fresh random bytes, 32 to 256, never used twice. */
  entropy: Buffer;
  hostname?: string;
  /** 32 hex digits. */
  machineId?: string;
  bootId?: string;
  /** How many forks lie between the first sandbox and this one, plus 1. */
  generation?: number;
  dropStreams: boolean;
  nameserver?: string;
  /** This is a copy of a sandbox that had a life: new ssh host keys, and the programs in /etc/offshoot/on-fork.d are run. */
  copied?: boolean;
}

export interface GuestHello {
  protocolVersion: number;
  agentBuild: string;
  capabilities: ReadonlySet<string>;
  /** Streams the agent holds from before this session. */
  streams: readonly GuestStreamState[];
}

export interface GuestStreamState {
  id: number;
  kind: string;
  /** Host-to-guest bytes the guest has consumed. */
  receivedBytes: number;
  /** Oldest guest-to-host offset the guest still keeps. */
  baseOffset: number;
  /** Guest-to-host bytes produced so far. */
  lengthBytes: number;
  ended: boolean;
}

export interface GuestExecSpec {
  /** Program and arguments, or one shell text. */
  argv?: readonly string[];
  shell?: string;
  env: Readonly<Record<string, string>>;
  cwd: string;
  user: string;
  pty?: { rows: number; cols: number };
  stdin: boolean;
  timeoutMs?: number;
}

export type ExecFailure =
  'command-not-found' | 'not-executable' | 'cwd-missing' | 'user-missing' | 'spawn-failed' | 'stream-lost';

export interface GuestExecResult {
  /** 0..255; null when a signal ended the process or it never started. */
  exitCode: number | null;
  signalNumber: number | null;
  timedOut: boolean;
  oomKilled: boolean;
  failure?: { code: ExecFailure; message: string };
  userCpuMs: number;
  systemCpuMs: number;
  maxRssKiB: number;
}

export type OutputChannel = 'stdout' | 'stderr';

/**
 * Where an exec's output goes. Calls come in offset order and do not wait for earlier promises (at most the stream's
 * window of 1 MiB is in flight). Bytes are acknowledged to the guest up to the first promise that has not resolved, so
 * nothing acknowledged can be lost. A rejection ends the delivery: the exec's `result` rejects with that error, the
 * process stays until `close()`. The bytes are a view that the sink may keep, not change.
 */
export interface ExecSink {
  /** `offset` counts stdout and stderr together; a gap (offset above what came before) means the guest no longer had the bytes. */
  write(channel: OutputChannel, offset: number, bytes: Buffer): Promise<void>;
}

/** One running exec. */
export interface GuestExec {
  readonly streamId: number;
  /**
   * Resolves after the last output was written to the sink (all its promises resolved). Rejects when the channel is
   * closed for good: `guest-unresponsive` (carrier gone), `guest-protocol`, `shutting-down` (disconnect()), each with
   * details.reason; `too-many-streams` when the agent has no room; or the sink's own error. A rejection nobody
   * listens to is not reported as unhandled.
   */
  readonly result: Promise<GuestExecResult>;
  /** Input bytes the guest has consumed; grows. */
  readonly inputConsumedBytes: number;
  /**
   * Sends input; resolves once the guest has consumed it all (its window bounds what is in flight), also over
   * reconnects. The bytes must not change until then. Rejects with `exec-input-closed` (no stdin, or after endInput)
   * or `exec-ended`.
   */
  write(bytes: Buffer): Promise<void>;
  endInput(): void;
  /** Delivered at least once, also over reconnects; ignored when the exec has ended. */
  resize(rows: number, cols: number): void;
  signal(signalNumber: number): void;
  /** Forgets the exec in the guest; if it still runs its process group is killed. Call after the result is stored. */
  close(): void;
}

export interface GuestFileEntry {
  name: string;
  type: 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'char-device' | 'block-device';
  sizeBytes: number;
  /** Permission bits. */
  mode: number;
  uid: number;
  gid: number;
  mtimeMs: number;
  target?: string;
}

export interface GuestMetrics {
  memoryTotalKiB: number;
  memoryAvailableKiB: number;
  diskTotalKiB: number;
  diskFreeKiB: number;
  processes: number;
  load1: number;
  uptimeMs: number;
  clockMs: number;
}

/** Aborting gives the operation up: it fails with `aborted` and the guest drops it. */
export interface GuestFileOptions {
  signal?: AbortSignal;
}

/**
 * File operations; failures are OffshootErrors (`guest-file-not-found`, `guest-file-error`, `guest-disk-full`,
 * `unsafe-archive`, `too-many-streams`, `invalid-request`) with details.reason, the agent's code, and details.path.
 * They have no deadline of their own: use the signal. When the channel closes for good they fail as execs do.
 */
export interface GuestFiles {
  /** The stream errors with an OffshootError; destroying it aborts the transfer. Resolves once the file is known to be readable. */
  read(path: string, options?: GuestFileOptions): Promise<Readable>;
  /**
   * Whole or not at all. When `content` errors or is destroyed half way the transfer is dropped in the guest and the
   * call fails with `aborted` (its cause: what content failed with). When the guest fails first, the rest of `content`
   * is left unread and undestroyed: the caller decides.
   */
  write(
    path: string,
    content: Readable,
    options?: GuestFileOptions & { mode?: number; parents?: boolean },
  ): Promise<{ sizeBytes: number }>;
  /** At most 100000 entries; more is `guest-file-error` with the reason `too-many-entries`. */
  list(path: string, options?: GuestFileOptions & { recursive?: boolean }): Promise<GuestFileEntry[]>;
  stat(path: string, options?: GuestFileOptions): Promise<GuestFileEntry>;
  /** Unpacks a tar archive below `path`; `content` rules as for write, but what was unpacked before a failure stays. */
  extract(
    path: string,
    archive: Readable,
    options?: GuestFileOptions & { owner?: string },
  ): Promise<{ entries: number; bytes: number; skipped: number }>;
  /** Resolves once the path is known to be readable; the stream is as that of read. */
  archive(path: string, options?: GuestFileOptions & Partial<ArchiveChoice>): Promise<Readable>;
}

/** What of a folder goes into an archive. The globs' rules: PROTOCOL.md. */
export interface ArchiveChoice {
  /** Without any, everything. */
  include: readonly string[];
  exclude: readonly string[];
  sparse: boolean;
}

/** hostd's end of one sandbox's agent channel. It reconnects by itself while the sandbox lives. */
export interface Guest {
  /** The agent's answer at the start of the latest session. */
  readonly hello: GuestHello;
  readonly files: GuestFiles;
  /** Requests with a deadline fail with `guest-unresponsive` when it passes. Resolves when the guest has applied all of it; the identity's clock is taken at the moment of sending. Any failing step rejects with `boot-failed`. */
  prepareResume(identity: ResumeIdentity, timeoutMs: number): Promise<void>;
  /** Stops every process of the workload where it is, until `prepareResume` or `thawWorkload`. Idempotent. Rejects with `guest-unresponsive` when some do not stop in time (then all go on), or `guest-protocol`. */
  freezeWorkload(timeoutMs: number): Promise<void>;
  thawWorkload(timeoutMs: number): Promise<void>;
  /** Throws `invalid-request` at once when the fields are beyond the protocol's bounds (2 MiB in all, 4096 of them) or hold a NUL. */
  exec(spec: GuestExecSpec, sink: ExecSink, streamId?: number): GuestExec;
  /** Takes up an exec of an earlier hostd whose stream the agent still holds; undefined when it does not. */
  adoptExec(streamId: number, receivedBytes: number, sink: ExecSink): GuestExec | undefined;
  /** The next stream id that neither this session nor the agent uses; above `floor`. */
  reserveStreamId(floor?: number): number;
  metrics(timeoutMs: number): Promise<GuestMetrics>;
  sync(timeoutMs: number): Promise<void>;
  shutdown(timeoutMs: number): Promise<void>;
  ping(timeoutMs: number): Promise<void>;
  /** Drops streams of the agent's list that nobody adopted. */
  closeStrays(): void;
  /** Ends the session; the guest goes on and another hostd can take it up. Idempotent. */
  disconnect(): void;
  /** Resolves with the reason when the channel is down for good (carrier gone and not coming back, or the guest broke the protocol). */
  readonly closed: Promise<'carrier-gone' | 'protocol' | 'disconnected'>;
}

export interface GuestConnectOptions {
  /** Unix socket of the agent channel; a path over the 107 bytes the kernel takes is handled. */
  socketPath: string;
  /** True when the agent may hold half a frame: adoption or a fork. */
  midStream: boolean;
  /** Until the first RESYNC_ACK. */
  helloTimeoutMs: number;
  signal?: AbortSignal;
}

/** Opens agent channels. The real one is guest/channel, the fake stands beside it. */
export interface GuestConnector {
  connect(options: GuestConnectOptions): Promise<Guest>;
}
