import { closedNetworks } from './egress/policy/reachable-networks.ts';
import { tapName, uplinkName, type NetworkPlan, type SlotPlan } from './plan.ts';

/** DNS queries per second one sandbox may send; hostd's process answers them all. */
const dnsQueriesPerSecond = 500;

/**
 * The ranges that no sandbox reaches without a rule, in ascending order. The host's rules close its own addresses, too, but the host says
 * only a few refusals a second.
 */
export function closedRanges(plan: Pick<NetworkPlan, 'subnet'>, own: readonly string[] = []): string[] {
  return closedNetworks(4, { own: [...own, plan.subnet] });
}

/** The nft ruleset of one sandbox's netns, for a netns that has none yet. Everything it does not name is dropped. `own`: the host's addresses. */
export function slotRules(
  plan: NetworkPlan,
  slot: SlotPlan,
  mode: 'open' | 'none',
  own: readonly string[] = [],
): string {
  const parts = mode === 'none' ? [fromGuest(plan), refuseAll] : [open(plan, slot, own)];
  return `table inet offshoot {\n${[refuse, ...parts].join('')}}\n`;
}

const refuse = `  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
`;

/** Ahead of connection tracking: a guest speaks IPv4, in its own name, and nothing else gets in. */
function fromGuest(plan: NetworkPlan, alsoAccepted = ''): string {
  return `  chain source {
    type filter hook prerouting priority raw; policy drop;
    iifname "${tapName}" ip saddr ${plan.link.address} accept
${alsoAccepted}  }
`;
}

const refuseAll = `  chain input {
    type filter hook input priority filter; policy drop;
    iifname "${tapName}" goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${tapName}" goto refuse
  }
`;

function open(plan: NetworkPlan, slot: SlotPlan, own: readonly string[]): string {
  const { link, bridgeAddress, dnsPort } = plan;
  const asked = `iifname "${tapName}" ip daddr ${link.gateway}`;
  const answered = `ct status dnat ip daddr ${bridgeAddress}`;
  return `${fromGuest(plan, `    iifname "${uplinkName}" ip daddr ${slot.hostSideAddress} accept\n`)}  chain inward {
    type nat hook prerouting priority dstnat; policy accept;
    ${asked} udp dport 53 dnat ip to ${bridgeAddress}:${String(dnsPort)}
    ${asked} tcp dport 53 dnat ip to ${bridgeAddress}:${String(dnsPort)}
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${asked} icmp type echo-request limit rate 20/second accept
    iifname "${tapName}" goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${uplinkName}" ct state established,related accept
    iifname "${uplinkName}" drop
    ct state invalid drop
    ct state new ct count over ${String(plan.maxFlowsPerSandbox)} goto refuse
    ${answered} udp dport ${String(dnsPort)} limit rate over ${String(dnsQueriesPerSecond)}/second burst ${String(dnsQueriesPerSecond)} packets drop
    ${answered} accept
    ip daddr { ${closedRanges(plan, own).join(', ')} } goto refuse
    oifname "${uplinkName}" accept
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}
