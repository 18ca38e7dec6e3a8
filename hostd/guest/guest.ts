import type { Readable } from 'node:stream';

/** What a sandbox's agent is told before any workload runs after a restore: PROTOCOL.md `prepare-resume`. */
export interface ResumeIdentity {
  /** Fresh random bytes, 32 to 256, never used twice. */
  entropy: Buffer;
  hostname: string;
  /** 32 hex digits. */
  machineId: string;
  bootId: string;
  generation: number;
  dropStreams: boolean;
  nameserver?: string;
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

/** Where an exec's output goes. The bytes are acknowledged to the guest when the promise resolves, so that nothing acknowledged can be lost. */
export interface ExecSink {
  /** `offset` counts stdout and stderr together; a gap (offset above what came before) means the guest no longer had the bytes. */
  write(channel: OutputChannel, offset: number, bytes: Buffer): Promise<void>;
}

/** One running exec. */
export interface GuestExec {
  readonly streamId: number;
  /** Resolves after the last output was written to the sink. Rejects with an OffshootError when the guest is gone for good. */
  readonly result: Promise<GuestExecResult>;
  /** Input bytes the guest has consumed; grows. */
  readonly inputConsumedBytes: number;
  /** Sends input; resolves once the guest has consumed it all (its window bounds what is in flight), also over reconnects. */
  write(bytes: Buffer): Promise<void>;
  endInput(): void;
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

/** File operations; failures are OffshootErrors (`guest-file-not-found`, `guest-file-error` with details.reason, `guest-disk-full`, `unsafe-archive`). */
export interface GuestFiles {
  /** The stream errors with an OffshootError; destroying it aborts the transfer. Resolves once the file is known to be readable. */
  read(path: string): Promise<Readable>;
  write(path: string, content: Readable, options?: { mode?: number; parents?: boolean }): Promise<{ sizeBytes: number }>;
  list(path: string, options?: { recursive?: boolean }): Promise<GuestFileEntry[]>;
  stat(path: string): Promise<GuestFileEntry>;
  extract(path: string, archive: Readable, options?: { owner?: string }): Promise<{ entries: number; bytes: number; skipped: number }>;
  archive(path: string, options?: { exclude?: readonly string[]; sparse?: boolean }): Promise<Readable>;
}

/** hostd's end of one sandbox's agent channel. It reconnects by itself while the sandbox lives. */
export interface Guest {
  readonly hello: GuestHello;
  readonly files: GuestFiles;
  /** Resolves when the guest has applied all of it; the identity's clock is taken at the moment of sending. Any failing step rejects with `boot-failed`. */
  prepareResume(identity: ResumeIdentity, timeoutMs: number): Promise<void>;
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
