import { formatIpv4Network, networkContains, parseIpv4Network } from './ipv4.ts';
import { tapName, uplinkName, type NetworkPlan, type SlotPlan } from './plan.ts';

/** Closed in every policy: not the public internet. RFC 1122, 1918, 3927 (the metadata service) and 6598; the host's own addresses are closed by the host's rules. */
const notPublic = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
];

/** DNS queries per second one sandbox may send; hostd's process answers them all. */
const dnsQueriesPerSecond = 500;

/** The ranges no sandbox reaches, in ascending order. */
export function closedRanges(plan: Pick<NetworkPlan, 'subnet'>): string[] {
  const own = parseIpv4Network(plan.subnet);
  const ranges = notPublic.flatMap((text) => parseIpv4Network(text) ?? []);
  if (own !== undefined && !ranges.some((range) => networkContains(range, own))) ranges.push(own);
  return ranges.sort((a, b) => a.base - b.base).map(formatIpv4Network);
}

/** The nft ruleset of one sandbox's netns, for a netns that has none yet. Everything it does not name is dropped. */
export function slotRules(plan: NetworkPlan, slot: SlotPlan, mode: 'open' | 'none'): string {
  const parts = mode === 'none' ? [fromGuest(plan), refuseAll] : [open(plan, slot)];
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

function open(plan: NetworkPlan, slot: SlotPlan): string {
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
    ip daddr { ${closedRanges(plan).join(', ')} } goto refuse
    oifname "${uplinkName}" accept
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}
