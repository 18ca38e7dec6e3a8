import type { NetworkConfig } from './config.ts';
import { planProxy } from './egress/firewall/proxy-plan.ts';
import { proxyRules } from './egress/firewall/proxy-rules.ts';
import { slotPolicyRules } from './egress/firewall/slot-policy-rules.ts';
import { parsePolicy } from './egress/policy/parse-rules.ts';
import { proxiedPorts } from './egress/policy/proxied-ports.ts';
import { hostRules } from './host-rules.ts';
import { planNetwork, planSlot } from './plan.ts';

const mtu = 1500;
/** One of each kind that the packet filter knows. */
const rules = ['a.example.com', 'tls:a.example.com:8443', '192.0.2.0/24:5432', 'udp:192.0.2.1:*'];

/** What hostd has nft load on the host, for the proxy and for sandboxes, as documents that an empty network namespace takes where this kernel and this nft can do all of it. */
export function trialRules(config: NetworkConfig): string[] {
  const plan = planNetwork(config, mtu);
  const proxy = planProxy(plan);
  const slot = planSlot(plan, config.subnet.base, 0);
  const policies = (['enforce', 'audit'] as const).map((mode) => {
    const policy = parsePolicy(mode, rules);
    const listeners = new Map([...proxiedPorts(policy).keys()].map((port) => [port, port]));
    const helpers = {
      resolver: { address: plan.bridgeAddress, port: plan.policyDnsPort },
      proxy: { address: proxy.address, listeners },
    };
    return slotPolicyRules(plan, slot, policy, { own: [] }, helpers);
  });
  return [hostRules(plan), proxyRules(plan, proxy, [443]), ...policies];
}
