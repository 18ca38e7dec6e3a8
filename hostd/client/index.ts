export { Sandbox, type CreateOptions } from './sandbox.ts';
export { isForkFailed, type ForkFailedError, type ForkOptions, type ForkReport } from './fork.ts';
export type { ExecOptions, SpawnOptions } from './exec-to-end.ts';
export { ExecHandle, type SignalName } from './exec-handle.ts';
export type { ExecResult, OutputHandlers } from './exec-result.ts';
export type { FollowOptions, OutputChunk } from './output.ts';
export { SandboxFiles, type DownloadOptions, type UploadOptions } from './sandbox-files.ts';
export { HostClient } from './host-client.ts';
export { Images, type BuildProgressLine } from './images.ts';
export { Snapshots } from './snapshots.ts';
export type { EventOptions } from './events.ts';
export type { ConnectionOptions } from './transport.ts';
export { OffshootError, isOffshootError } from '../errors/offshoot-error.ts';
export type { ErrorCode } from '../errors/catalogue.ts';
export type {
  BuildImageInput,
  CreateSnapshotInput,
  DenialReason,
  EgressDenial,
  EgressEntry,
  EgressMode,
  EgressPolicyInfo,
  EgressPolicyInput,
  EgressReport,
  ExecInfo,
  FileEntry,
  ForkFailureDetails,
  HostInfo,
  ImageInfo,
  OffshootEvent,
  SandboxInfo,
  SandboxState,
  SnapshotInfo,
} from '../contract/index.ts';
