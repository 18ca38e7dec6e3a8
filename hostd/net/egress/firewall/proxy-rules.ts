import type { NetworkPlan } from '../../plan.ts';
import { proxyLinkName, type ProxyPlan } from './proxy-plan.ts';

/**
 * The nft rules of the proxy's netns, replacing older ones at once. In come connections from sandboxes to the listeners and answers; out go
 * TCP connections, but not to the host's bridge, to sandboxes or back to itself. The host's other addresses are closed by the host's rules.
 */
export function proxyRules(plan: NetworkPlan, proxy: ProxyPlan, listenerPorts: readonly number[]): string {
  const fromSandbox = `iifname "${proxyLinkName}" ip saddr ${plan.subnet} ip saddr != { ${plan.bridgeAddress}, ${proxy.address} }`;
  const listeners = listenerPorts.length === 0 ? '' : listenerRule(fromSandbox, proxy, listenerPorts);
  return `table inet offshoot
delete table inet offshoot
table inet offshoot {
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain input {
    type filter hook input priority filter; policy drop;
    meta nfproto != ipv4 drop
    ct state established,related accept
${listeners}    goto refuse
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
  }
  chain output {
    type filter hook output priority filter; policy drop;
    meta nfproto != ipv4 drop
    ct state established,related accept
    ip daddr { 127.0.0.0/8, ${plan.subnet} } goto refuse
    oifname "${proxyLinkName}" ip saddr ${proxy.address} meta l4proto tcp accept
    goto refuse
  }
}
`;
}

function listenerRule(fromSandbox: string, proxy: ProxyPlan, ports: readonly number[]): string {
  return `    ${fromSandbox} ip daddr ${proxy.address} tcp dport { ${[...new Set(ports)].join(', ')} } accept\n`;
}

/** Marks the rules of `proxyPassage`. */
export const passageComment = 'offshoot proxy';

/**
 * Rules of the host's table that let sandboxes and the proxy talk: where the bridge's frames pass the host's rules (br_netfilter, as Docker
 * loads it), these would refuse what goes from one sandbox's address to another. By chain; each belongs to the chain's top.
 */
export function proxyPassage(plan: NetworkPlan, proxy: ProxyPlan): { chain: 'guard' | 'forward'; rule: string }[] {
  const onBridge = `iifname "${plan.bridgeName}"`;
  const acrossBridge = `${onBridge} oifname "${plan.bridgeName}"`;
  const toProxy = `ip saddr ${plan.subnet} ip daddr ${proxy.address} meta l4proto tcp accept`;
  const fromProxy = `ip saddr ${proxy.address} ip daddr ${plan.subnet} ip daddr != ${plan.bridgeAddress}`;
  return [
    { chain: 'guard', rule: `${onBridge} ${toProxy}` },
    { chain: 'guard', rule: `${onBridge} ${fromProxy} accept` },
    { chain: 'forward', rule: `${acrossBridge} ${toProxy}` },
    { chain: 'forward', rule: `${acrossBridge} ${fromProxy} ct state established,related accept` },
  ];
}
