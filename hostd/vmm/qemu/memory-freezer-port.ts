import type { FreezeMethod, FreezeRequest, WrittenImage } from './memory-freezer.ts';

/** A duplicate of a VMM's memory in the making. */
export interface FreezerPort {
  /** Duplicates the memory; the VMM may run on when it resolves. */
  freeze(): Promise<FreezeMethod>;
  /** Writes base and touched pages to the image. */
  write(): Promise<WrittenImage>;
  /** Gives it up; the image goes. Idempotent. */
  abandon(): Promise<void>;
}

export type OpenFreezer = (request: Omit<FreezeRequest, 'program'>) => Promise<FreezerPort>;
