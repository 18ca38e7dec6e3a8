import { planProxy } from './egress/firewall/proxy-plan.ts';
import { passageComment, proxyPassage } from './egress/firewall/proxy-rules.ts';
import { openingRules, openingSets } from './host-openings.ts';
import type { NetworkPlan } from './plan.ts';

/** Two hours, the kernel's own default for TCP keepalive, and room for its probes; the default of five days would let killed sandboxes' connections pile up in the host's table. */
const idleConnectionSeconds = 7500;

/**
 * The nft table on the host, replacing an older one in the same transaction: the host is out of reach but for DNS and what is opened to
 * single sandboxes (ahead of other programs' port forwards), sandboxes can't reach each other, nothing comes in from outside, and what goes
 * out carries the host's address. The proxy's passage is part of it from the start: without it, for however short, connections that outlive
 * a hostd would be reset.
 */
export function hostRules(plan: NetworkPlan): string {
  const { bridgeName, bridgeAddress, subnet, tableName } = plan;
  const dnsPorts = `{ ${String(plan.dnsPort)}, ${String(plan.policyDnsPort)} }`;
  return `table inet ${tableName}
delete table inet ${tableName}
table inet ${tableName} {
  ct timeout idle {
    protocol tcp
    l3proto ip
    policy = { established : ${String(idleConnectionSeconds)} }
  }
${openingSets}  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain guard {
    type filter hook prerouting priority raw; policy accept;
${passage(plan, 'guard')}    iifname != { "${bridgeName}", "lo" } ip daddr ${subnet} goto refuse
    iifname != "${bridgeName}" accept
    meta nfproto != ipv4 drop
    ip saddr != ${subnet} drop
    ip daddr ${bridgeAddress} udp dport ${dnsPorts} accept
    ip daddr ${bridgeAddress} tcp dport ${dnsPorts} accept
${openingRules.map((rule) => `    ${rule}\n`).join('')}    fib daddr type local goto refuse
    ip daddr ${subnet} goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
${passage(plan, 'forward')}    iifname "${bridgeName}" oifname "${bridgeName}" drop
    iifname "${bridgeName}" meta l4proto tcp ct state new ct timeout set "idle"
    iifname "${bridgeName}" tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu
    oifname "${bridgeName}" tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu
    oifname "${bridgeName}" ct state established,related accept
    oifname "${bridgeName}" drop
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${subnet} oifname != "${bridgeName}" masquerade
  }
}
`;
}

function passage(plan: NetworkPlan, into: 'guard' | 'forward'): string {
  return proxyPassage(plan, planProxy(plan))
    .filter(({ chain }) => chain === into)
    .map(({ rule }) => `    ${rule} comment "${passageComment}"\n`)
    .join('');
}
