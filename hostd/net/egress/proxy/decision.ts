import { outcomeOf } from '../policy/outcome.ts';
import type { DenialReason, PolicyView, Verdict } from '../policy/policy.ts';
import type { ProxyLayer } from './options.ts';

/** `wouldDeny`: let through because the policy only audits. */
export type Decision = { pass: true; wouldDeny?: DenialReason | undefined } | { pass: false; reason: DenialReason };

export interface Destination {
  /** A host name, or an address where `literal`. */
  host: string;
  literal: boolean;
  port: number;
  layer: ProxyLayer;
  /** Why there is no name: the address is the one that the guest dialled. */
  nameless?: NamelessReason | undefined;
}

export type NamelessReason = Extract<DenialReason, 'no-name' | 'protocol' | 'sni'>;

/** Whether the destination may be asked for, before it is resolved. */
export function decideDestination(view: PolicyView, to: Destination): Decision {
  const decision = withReasonOf(to, soften(view, view.mayConnect({ name: to.host, port: to.port, layer: to.layer })));
  if (!to.literal || !decision.pass || decision.wouldDeny === undefined) return decision;
  return view.mayUseAddress(undefined, to.host, to.port).allowed ? decision : { pass: false, reason: 'private-range' };
}

/** Whether an address that the destination resolved to may be dialled. */
export function decideAddress(view: PolicyView, to: Destination, address: string): Decision {
  if (to.literal) return decideDestination(view, to);
  const verdict = view.mayUseAddress(to.host, address, to.port);
  return verdict.allowed ? { pass: true } : { pass: false, reason: verdict.reason };
}

/** What is wrong with a connection without a name is not the name. */
function withReasonOf({ nameless }: Destination, decision: Decision): Decision {
  if (nameless === undefined) return decision;
  if (decision.pass) return decision.wouldDeny === undefined ? decision : { pass: true, wouldDeny: nameless };
  return decision.reason === 'private-range' ? decision : { pass: false, reason: nameless };
}

function soften(view: PolicyView, verdict: Verdict): Decision {
  if (verdict.allowed) return { pass: true };
  const { reason } = verdict;
  return outcomeOf(view.policy.mode, verdict).passes ? { pass: true, wouldDeny: reason } : { pass: false, reason };
}
