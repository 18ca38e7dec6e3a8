import type { NameRule, PolicyView } from '../policy/policy.ts';
import { fitsWildcard } from './limits.ts';

/** Whether a name may be asked for. `audited`: it is, though no rule names it. */
export type Permission = Allowed | { kind: 'audited' } | { kind: 'denied' };

export interface Allowed {
  kind: 'allowed';
  /** Only this wildcard names it. */
  wildcard?: NameRule;
}

/** Only the policy's own names leave the host; in a mode without a list, or with one that is only watched, all do. */
export function permissionFor(view: PolicyView, name: string): Permission {
  if (view.policy.mode === 'open') return { kind: 'allowed' };
  const verdict = view.mayResolve(name);
  const unnamed: Permission = view.policy.mode === 'audit' ? { kind: 'audited' } : { kind: 'denied' };
  if (!verdict.allowed) return unnamed;
  if (verdict.rule?.kind !== 'name' || !verdict.rule.wildcard) return { kind: 'allowed' };
  return fitsWildcard(verdict.rule, name) ? { kind: 'allowed', wildcard: verdict.rule } : unnamed;
}

/** Whether other data than addresses is passed on: with a list that is in force it is not. */
export function passesData(view: PolicyView): boolean {
  return view.policy.mode === 'audit' || view.policy.mode === 'open';
}
