import type { ProcessIdentity } from '../../platform/process-identity.ts';

/** A duplicate of a VMM's memory in the making. */
export interface FreezerPort {
  /** Duplicates the memory; the VMM may run on when it resolves. */
  freeze(): Promise<'clone' | 'copy'>;
  /** Writes base and touched pages to the image. */
  write(): Promise<{ touchedBytes: number; imageBytes: number }>;
  /** Gives it up; the image goes. Idempotent. */
  abandon(): Promise<void>;
}

export interface FreezerRequest {
  source: ProcessIdentity;
  basePath: string;
  imagePath: string;
  method: 'clone' | 'copy';
  minAvailableMiB: number;
  signal?: AbortSignal;
}

export type OpenFreezer = (request: FreezerRequest) => Promise<FreezerPort>;
