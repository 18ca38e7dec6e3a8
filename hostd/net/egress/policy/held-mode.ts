import type { PolicyMode } from './policy.ts';

/** How a sandbox is kept to its policy: with rules, which may open what is closed in every mode, `open` is held like audit. */
export function heldMode(mode: PolicyMode, hasRules: boolean): PolicyMode {
  return mode === 'open' && hasRules ? 'audit' : mode;
}

/** Whether names, and so resolver and proxy, play a part in it. */
export function isHeldByName(mode: PolicyMode, hasRules: boolean): boolean {
  const held = heldMode(mode, hasRules);
  return held === 'enforce' || held === 'audit';
}
