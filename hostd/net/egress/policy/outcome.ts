import type { DenialReason, PolicyMode, Verdict } from './policy.ts';

export interface Outcome {
  passes: boolean;
  /** What to record; set for what audit lets through, too. */
  reason?: DenialReason;
}

/** Closed in every mode: audit is open to the public internet, not to private networks, the host or its neighbours. */
const alwaysDenied: ReadonlySet<DenialReason> = new Set(['private-range', 'rebind']);

/** What a verdict comes to: in audit mode it passes and is recorded, unless it is about what is closed in every mode. */
export function outcomeOf(mode: PolicyMode, verdict: Verdict): Outcome {
  if (verdict.allowed) return { passes: true };
  return { passes: mode === 'audit' && !alwaysDenied.has(verdict.reason), reason: verdict.reason };
}
