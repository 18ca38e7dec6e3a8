import type { ProxyListenerSpec } from './gate/messages.ts';
import type { Policy } from './policy/policy.ts';
import { proxiedPorts } from './policy/proxied-ports.ts';

/** Stands for what every policy leads to the proxy. */
const anyPolicy: Policy = { mode: 'enforce', rules: [] };

/** Whether a policy leads more to the proxy than every policy does. */
export function needsListeners(policy: Policy): boolean {
  return proxiedPorts(policy).size > proxiedPorts(anyPolicy).size;
}

/** The listeners at this address of the proxy that the policies lead to: those that are open already, and new ones with port 0. */
export function listenersFor(
  policies: readonly Policy[],
  open: readonly ProxyListenerSpec[],
  address: string,
): ProxyListenerSpec[] {
  const wanted = new Map<string, ProxyListenerSpec>();
  for (const policy of [anyPolicy, ...policies]) {
    for (const [forPort, layer] of proxiedPorts(policy)) {
      const known = open.find((one) => one.forPort === forPort && one.layer === layer);
      wanted.set(`${layer} ${String(forPort)}`, known ?? { address, port: 0, forPort, layer });
    }
  }
  return [...wanted.values()];
}

/** By port that the guest dials: the listener that a policy leads it to, among those that are open. */
export function ledTo(policy: Policy, open: readonly ProxyListenerSpec[]): Map<number, number> {
  const layers = proxiedPorts(policy);
  const led = open.filter(({ forPort, layer }) => layers.get(forPort) === layer);
  return new Map(led.map(({ forPort, port }) => [forPort, port]));
}
