import type { EgressPolicyInput } from '../../contract/egress.ts';
import { expandAutoRules } from './auto-rules.ts';

/**
 * The policy as hostd takes it: `auto:` rules are filled in here, as hostd can't know this machine's package managers. What has no rules, or
 * not the form of a policy, is left for hostd to judge. Throws `egress-auto-failed` and `egress-rules-invalid`.
 */
export async function fillInAutoRules(policy: EgressPolicyInput): Promise<EgressPolicyInput> {
  const allow: unknown = Array.isArray(policy) ? policy : policy.allow;
  if (!isListOfTexts(allow)) return policy;
  const filledIn = await expandAutoRules(allow);
  return Array.isArray(policy) ? filledIn : { ...policy, allow: filledIn };
}

function isListOfTexts(allow: unknown): allow is string[] {
  return Array.isArray(allow) && allow.every((rule) => typeof rule === 'string');
}
