import type { EgressPolicyInput } from '../../contract/egress.ts';
import { systemRunner, type Runner } from '../../platform/run.ts';
import { expandAutoRules } from './auto-rules.ts';

/**
 * The policy as hostd takes it: `auto:` rules are filled in here, as hostd can't know this machine's package managers. What has no rules, or
 * not the form of a policy, is left for hostd to judge. When the signal fires the policy comes back as it is, for a request that will not be
 * sent. Throws `egress-auto-failed` and `egress-rules-invalid`.
 */
export async function fillInAutoRules(policy: EgressPolicyInput, signal?: AbortSignal): Promise<EgressPolicyInput> {
  const allow: unknown = Array.isArray(policy) ? policy : policy.allow;
  if (!isListOfTexts(allow)) return policy;
  try {
    const filledIn = await expandAutoRules(allow, signal === undefined ? {} : { runner: endedBy(signal) });
    return Array.isArray(policy) ? filledIn : { ...policy, allow: filledIn };
  } catch (error) {
    if (signal?.aborted === true) return policy;
    throw error;
  }
}

function isListOfTexts(allow: unknown): allow is string[] {
  return Array.isArray(allow) && allow.every((rule) => typeof rule === 'string');
}

function endedBy(signal: AbortSignal): Runner {
  return { run: (command, args, options) => systemRunner.run(command, args, { ...options, signal }) };
}
