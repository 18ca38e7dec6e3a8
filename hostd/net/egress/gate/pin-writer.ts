import type { Pin } from '../dns/pin-document.ts';
import type { PinSink } from '../dns/pin-table.ts';
import type { TrackedFlow } from '../firewall/tracked-flows.ts';

export interface LivingPin {
  pin: Pin;
  /** From now. */
  lifetimeMs: number;
}

/** The packet filters of all sandboxes, as the resolver's process needs them. */
export interface PinWriter extends PinSink {
  /** Leaves these open and nothing else, in one step: for what an earlier resolver opened. A sandbox whose namespace is gone is no error. */
  replaceAll(sandboxId: string, pins: readonly LivingPin[]): Promise<void>;
  /** What open connections of the sandbox were dialled for and where they are led. None of one that is gone. */
  flows(sandboxId: string): Promise<readonly TrackedFlow[]>;
  /** For a sandbox that is gone: resolves when nothing is being written for it any more, as its namespace's name may soon be another one's. */
  idle(sandboxId: string): Promise<void>;
}

/** `netnsPathOf`: undefined for a sandbox that is gone. */
export type OpenPinWriter = (netnsPathOf: (sandboxId: string) => string | undefined) => PinWriter;
