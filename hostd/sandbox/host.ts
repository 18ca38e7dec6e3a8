import type { Readable } from 'node:stream';
import type {
  CreateExec,
  CreateSandbox,
  CreateSnapshot,
  EgressPolicyInfo,
  EgressPolicyRequest,
  EgressReport,
  ExecInfo,
  FileEntry,
  ForkResult,
  ForkSandbox,
  HostInfo,
  ImageInfo,
  OffshootEvent,
  SandboxInfo,
  SnapshotInfo,
} from '../contract/index.ts';
import type { ArchiveChoice } from '../guest/guest.ts';
import type { BuildProgress, ImageBuildRequest } from '../guest/image/image.ts';

export interface OutputChunk {
  channel: 'stdout' | 'stderr';
  offset: number;
  bytes: Buffer;
}

/** Everything hostd can do, without HTTP: what the api calls. The real one is sandbox/local-host.ts; failures are OffshootErrors. */
export interface Host {
  readonly sandboxes: SandboxService;
  readonly execs: ExecService;
  readonly files: FileService;
  readonly images: ImageService;
  readonly snapshots: SnapshotService;
  readonly events: EventService;
  info(): Promise<HostInfo>;
  /** Counters and gauges in Prometheus names, without a client library's types. */
  metrics(): Promise<Metric[]>;
}

export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge';
  values: { labels?: Record<string, string>; value: number }[];
}

export interface CreateOptions {
  /** Recorded with a hash of the request: the same key answers the same sandbox or the same error. */
  idempotencyKey?: string;
  /** The client left: a queued request is given up; one already being created goes on (its lease ends it). */
  signal?: AbortSignal;
}

export interface ForkOptions {
  /** The same key answers the same copies or the same error. */
  idempotencyKey?: string;
}

export interface SnapshotService {
  /** Durable when it resolves. Throws `snapshot-exists`. */
  create(sandboxId: string, request: CreateSnapshot): Promise<SnapshotInfo>;
  list(): Promise<SnapshotInfo[]>;
  /** Throws `snapshot-not-found`. */
  get(name: string): Promise<SnapshotInfo>;
  /** Throws `snapshot-in-use` with details.usedBy. */
  remove(name: string): Promise<void>;
}

export interface SandboxService {
  /** Resolves when the sandbox runs. `created` is false when an earlier request with this id or key made it. */
  create(request: CreateSandbox, options?: CreateOptions): Promise<{ sandbox: SandboxInfo; created: boolean }>;
  get(id: string): Promise<SandboxInfo>;
  list(filter: { labels: Record<string, string>; all: boolean }): Promise<SandboxInfo[]>;
  renew(id: string, timeoutSeconds: number, shorten: boolean): Promise<SandboxInfo>;
  /** Idempotent; resolves with the tombstone when process, network and files are gone. */
  stop(id: string): Promise<SandboxInfo>;
  /** Its vCPUs stand still from the answer on; idempotent. With hibernateAfterSeconds 0 the answer comes when its process is gone. */
  pause(id: string, hibernateAfterSeconds?: number): Promise<SandboxInfo>;
  /** Runs again, its clock set, from memory or from disk; idempotent. */
  resume(id: string): Promise<SandboxInfo>;
  /**
   * Running copies of a running or paused sandbox. Throws `fork-failed` when some did not start: details.startedSandboxIds run on, and
   * details.failures says why the others do not; `fork-cancelled` after `cancelFork`.
   */
  fork(id: string, request: ForkSandbox, options?: ForkOptions): Promise<ForkResult>;
  /** Stops what a fork under way has started and gives the rest up; resolves when that is done. Throws `fork-not-found`. */
  cancelFork(forkId: string): Promise<void>;
  /** In force when it resolves, for a paused sandbox, too; connections it does not allow are cut. Throws `egress-rules-invalid`. */
  setEgress(id: string, policy: EgressPolicyRequest): Promise<EgressPolicyInfo>;
  /** What it may reach, what it reached and what was denied; of one that has ended as long as its tombstone is kept. */
  egressReport(id: string): Promise<EgressReport>;
  /** Console of the guest's kernel, bounded. */
  console(id: string): Promise<string>;
}

export interface ExecService {
  start(sandboxId: string, request: CreateExec): Promise<{ exec: ExecInfo; created: boolean }>;
  get(sandboxId: string, execId: string): Promise<ExecInfo>;
  list(sandboxId: string): Promise<ExecInfo[]>;
  /** Output from an offset; with `follow` until the end of the exec. Ended sandboxes' output stays readable while the tombstone is kept. Respects the consumer's pace. */
  output(
    sandboxId: string,
    execId: string,
    from: number,
    follow: boolean,
    signal: AbortSignal,
  ): AsyncIterable<OutputChunk>;
  /** Input at an offset: what was consumed before is skipped, a gap is `exec-input-offset`. Resolves when the guest consumed it. */
  input(
    sandboxId: string,
    execId: string,
    offset: number,
    bytes: Readable,
    end: boolean,
    signal: AbortSignal,
  ): Promise<{ consumedBytes: number }>;
  resize(sandboxId: string, execId: string, rows: number, cols: number): Promise<void>;
  signal(sandboxId: string, execId: string, signal: NodeJS.Signals): Promise<void>;
}

export interface FileService {
  read(sandboxId: string, path: string): Promise<Readable>;
  write(sandboxId: string, path: string, content: Readable, mode?: number): Promise<{ sizeBytes: number }>;
  list(sandboxId: string, path: string, recursive: boolean): Promise<FileEntry[]>;
  stat(sandboxId: string, path: string): Promise<FileEntry>;
  extract(
    sandboxId: string,
    path: string,
    archive: Readable,
    owner?: string,
  ): Promise<{ entries: number; bytes: number; skipped: number }>;
  archive(sandboxId: string, path: string, choice: ArchiveChoice): Promise<Readable>;
}

export interface ImageService {
  list(): Promise<ImageInfo[]>;
  get(name: string): Promise<ImageInfo>;
  /** Builds the image and its default template. */
  build(request: ImageBuildRequest, onProgress: (progress: BuildProgress) => void): Promise<ImageInfo>;
  remove(name: string): Promise<void>;
}

export interface EventService {
  /** Events after `afterId` (from the oldest kept when undefined), then live ones while `follow`. */
  stream(options: {
    afterId?: number;
    follow: boolean;
    sandboxId?: string;
    signal: AbortSignal;
  }): AsyncIterable<OffshootEvent>;
  latestId(): number;
}
