import type { Pin } from '../dns/pin-document.ts';

/** A sandbox as its packet filter is found: the address it has on the bridge names its network namespace. */
export interface PinnedSandbox {
  sandboxId: string;
  sourceAddress: string;
}

/** What a pin opens, whatever name it is there for. */
export type Opening = Pick<Pin, 'address' | 'port' | 'transport'>;

export interface PinAddition {
  sandbox: PinnedSandbox;
  opening: Opening;
  /** From now; the filter ends it by itself. An opening that is there gets this life instead of its own. */
  lifetimeMs: number;
}

export interface PinRemoval {
  sandbox: PinnedSandbox;
  opening: Opening;
}

/** The packet filters of all sandboxes. A batch is one write; it may hold openings of several sandboxes. */
export interface PinWriter {
  /** Resolves when all of them are open; rejects when one can't be. */
  add(batch: readonly PinAddition[]): Promise<void>;
  /** Resolves when all of them are closed. What is not open, and a sandbox that has no filter any more, are no errors. */
  remove(batch: readonly PinRemoval[]): Promise<void>;
  /** Closes every opening of this sandbox but these, which it does not open. A sandbox that has no filter is no error. */
  keepOnly(sandbox: PinnedSandbox, openings: readonly Opening[]): Promise<void>;
  /** Those of these openings that a flow goes by now. */
  inUse(sandbox: PinnedSandbox, openings: readonly Opening[]): Promise<readonly Opening[]>;
}

export function openingKey({ address, port, transport }: Opening): string {
  return `${transport} ${address} ${String(port)}`;
}
