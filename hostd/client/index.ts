export { Sandbox, type CreateOptions, type ExecOptions, type SpawnOptions } from './sandbox.ts';
export { ExecHandle, type SignalName } from './exec-handle.ts';
export type { ExecResult, OutputHandlers } from './exec-result.ts';
export type { FollowOptions, OutputChunk } from './output.ts';
export { SandboxFiles, type DownloadOptions, type UploadOptions } from './sandbox-files.ts';
export { HostClient } from './host-client.ts';
export { Images, type BuildProgressLine } from './images.ts';
export type { EventOptions } from './events.ts';
export type { ConnectionOptions } from './transport.ts';
export { OffshootError, isOffshootError } from '../errors/offshoot-error.ts';
export type { ErrorCode } from '../errors/catalogue.ts';
export type {
  BuildImageInput,
  ExecInfo,
  FileEntry,
  HostInfo,
  ImageInfo,
  OffshootEvent,
  SandboxInfo,
  SandboxState,
} from '../contract/index.ts';
