import type { SlotEgress } from '../network.ts';
import type { SlotPlan } from '../plan.ts';
import type { SandboxPolicy } from './gate/messages.ts';
import { heldMode, isHeldByName } from './policy/held-mode.ts';
import type { Policy } from './policy/policy.ts';
import { proxiedPorts } from './policy/proxied-ports.ts';

/** The policy as filter, resolver and proxy hold it. */
export function effective({ mode, rules }: Policy): Policy {
  return { mode: heldMode(mode, rules.length > 0), rules };
}

/** Whether names and pins play a part. */
export function isRuled({ mode, rules }: Policy): boolean {
  return isHeldByName(mode, rules.length > 0);
}

/** Whether a change takes something away that only the resolver can close one by one: an address that is open on the port of a name. */
export function takesPins(before: Policy, after: Policy): boolean {
  if (!isRuled(before)) return false;
  if (!isRuled(after)) return after.mode === 'none';
  const kept = new Set(after.rules.map(({ text }) => text));
  const proxied = proxiedPorts(after);
  return before.rules.some(
    (rule) =>
      rule.kind === 'name' &&
      (rule.transport === 'udp' || rule.port === 'any' || !proxied.has(rule.port)) &&
      !kept.has(rule.text),
  );
}

/** What resolver and proxy are told of a slot; undefined while it has no sandbox. */
export function gatePolicy(
  { hostSideAddress, netnsPath }: SlotPlan,
  { policy, sandbox }: SlotEgress,
): SandboxPolicy | undefined {
  if (sandbox === undefined) return undefined;
  const { id: sandboxId, revision } = sandbox;
  return { sandboxId, sourceAddress: hostSideAddress, netnsPath, policy: effective(policy), revision };
}
