import { outcomeOf } from '../policy/outcome.ts';
import type { PolicyMode, PolicyView, Verdict } from '../policy/policy.ts';

/**
 * A view that allows what both allow. Two views of mode audit stay one, so that what is let through is still recorded; else it is as
 * strict as a list in force, and what one of them would only audit passes without a record for as long as this view stands.
 */
export function bothViews(before: PolicyView, after: PolicyView): PolicyView {
  const mode: PolicyMode = before.policy.mode === 'audit' && after.policy.mode === 'audit' ? 'audit' : 'enforce';
  const both = (decide: (view: PolicyView) => Verdict): Verdict => {
    const verdicts = [after, before].map((view) => {
      const verdict = decide(view);
      if (mode === 'audit' || !outcomeOf(view.policy.mode, verdict).passes) return verdict;
      return verdict.allowed ? verdict : ({ allowed: true } satisfies Verdict);
    });
    return verdicts.find((verdict) => !verdict.allowed) ?? verdicts[0] ?? { allowed: false, reason: 'no-name' };
  };
  return {
    policy: { mode, rules: after.policy.rules },
    mayResolve: (name) => both((view) => view.mayResolve(name)),
    mayConnect: (to) => both((view) => view.mayConnect(to)),
    mayUseAddress: (name, address, port) => both((view) => view.mayUseAddress(name, address, port)),
    mayReach: (to) => both((view) => view.mayReach(to)),
    rawPorts: (name) => {
      const others = before.rawPorts(name);
      return after
        .rawPorts(name)
        .filter(({ port, transport }) => others.some((one) => one.port === port && one.transport === transport));
    },
  };
}
